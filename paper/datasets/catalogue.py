"""The ten real datasets, as known before one is loaded: one entry of `REAL` each.

Encodings are those that give the numbers of features in the paper's table of datasets: votes are
-1 (no), 0 (missing) and 1 (yes); in Obesity the two columns of frequencies are ordinal and the
means of transport one-hot without the first; Mushroom is the one-hot version of LIBSVM. All other
tables are numbers as published. Nothing is scaled.

Where the datasets are published is in `paper.datasets.download`, how their files are read in
`paper.datasets.originals`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A real dataset.

    Attributes
    ----------
    title : str
        Its name in tables and figures.
    n_samples, n_features : int
        To tell long runs from short ones before the table is loaded.
    n_labelled_small : int or None
        Positives labelled at the small share: exact numbers, of the authors' earlier paper. None
        for a dataset that is not in it.
    file, file_sum : str
        Its file in the folder PUCUT_DATA and the SHA-256 sum of that; `.npz` files hold arrays,
        others columns of texts.
    table_sum : str
        SHA-256 sum of the table itself: see `paper.datasets.real.content_sum`.
    is_positive : callable
        Whether an original class, a text or for arrays a number, is positive.
    codes : dict of dict
        Numbers for the texts of a column, or of all columns ("*").
    one_hot : tuple of str
        Columns that are encoded one-hot, without the first value.
    """

    title: str
    n_samples: int
    n_features: int
    n_labelled_small: int | None
    file: str
    file_sum: str
    table_sum: str
    is_positive: Callable[[Any], bool]
    codes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    one_hot: tuple[str, ...] = ()

    @property
    def is_array(self) -> bool:
        return self.file.endswith(".npz")


_NO_YES = {"no": 0.0, "yes": 1.0}
_HOW_OFTEN = {"no": 0.0, "Sometimes": 1.0, "Frequently": 2.0, "Always": 3.0}
_VOTES = {"n": -1.0, "?": 0.0, "y": 1.0}

# In the order of the paper's tables, which is the order of size.
REAL: dict[str, Entry] = {
    "vote": Entry(
        title="Vote",
        n_samples=435,
        n_features=16,
        n_labelled_small=40,
        file="vote.csv.gz",
        file_sum="68354a9cc627da44784faede470cf4b0fc589d59d1b6132042d854d73562f401",
        table_sum="f0983c1050457b785f3dd8cdab109348117781a76fc9ef25efe998b15164e111",
        is_positive=lambda c: c == "democrat",
        codes={"*": _VOTES},
    ),
    "german": Entry(
        title="German",
        n_samples=1_000,
        n_features=24,
        n_labelled_small=None,
        file="german.csv.gz",
        file_sum="f20595b81ce4267872c277f24920d22512f85b3724f851fa4866789cee55ebe8",
        table_sum="6082e2696e88b8c91a2c8ab85abf6b6a6d2d7cac47b4a15ab542edda3ea1b3c3",
        is_positive=lambda c: c == "1",
    ),
    "obesity": Entry(
        title="Obesity",
        n_samples=2_111,
        n_features=19,
        n_labelled_small=100,
        file="obesity.csv.gz",
        file_sum="a2ccf7e1cfcc27e73fb2a058578c32ef5c538649c39ffd3f59d11dff4204b4a8",
        table_sum="78ba942912bb1bdc6579cc9625fe2ab12aef6a90e19c87fef867a41318065710",
        is_positive=lambda c: c.startswith("Obesity_"),
        codes={
            "Gender": {"Female": 0.0, "Male": 1.0},
            "family_history_with_overweight": _NO_YES,
            "FAVC": _NO_YES,
            "SMOKE": _NO_YES,
            "SCC": _NO_YES,
            "CAEC": _HOW_OFTEN,
            "CALC": _HOW_OFTEN,
        },
        one_hot=("MTRANS",),
    ),
    "mushroom": Entry(
        title="Mushroom",
        n_samples=8_124,
        n_features=112,
        n_labelled_small=400,
        file="mushroom_libsvm.csv.gz",
        file_sum="c123225ef8ad0d43a5c0153c2beb5d06b1db8e9c975bd16aad6423008c610043",
        table_sum="520527d28126c4ddb8da5f3e697235f4391aede880d241356242da68a4a1652f",
        is_positive=lambda c: c == "2",
    ),
    "phishing": Entry(
        title="Phishing",
        n_samples=11_055,
        n_features=30,
        n_labelled_small=None,
        file="phishing.csv.gz",
        file_sum="caa6ac943c02f17ccf4129381ffaeced002b84a650019bad67ec3a176041a294",
        table_sum="bb6d03f060fbaa1d3596fab6dbf939d32fce49403944710f1bddb9147f26e8ff",
        is_positive=lambda c: c == "-1",
    ),
    "bean": Entry(
        title="Bean",
        n_samples=13_611,
        n_features=16,
        n_labelled_small=None,
        file="bean.csv.gz",
        file_sum="2ffcf1e167f3a63dc018ee4ab0ebc5f6163c9381153aa853cccdbf728a3487c2",
        table_sum="43308e93794c0d586ef5279b55149dc2c4c4d64a9ccb811c110771c4ffca0fc4",
        is_positive=lambda c: c in {"SIRA", "DERMASON"},
    ),
    "news": Entry(
        title="News",
        n_samples=18_846,
        n_features=300,
        n_labelled_small=1000,
        file="news.npz",
        file_sum="0700d76b974bbf308c6838da2e239510fa03dca9fb5abec9d9bb7a3f7b19254f",
        table_sum="2b8388215c3c4ba4e372320bce1bad6ef2c209784b5788d858e77b67d9ab2217",
        is_positive=lambda c: c < 11,
    ),
    "letter": Entry(
        title="Letter",
        n_samples=20_000,
        n_features=16,
        n_labelled_small=1000,
        file="letter.csv.gz",
        file_sum="fc6b60a4e542b1e289b627ac29a9ba36794f2298a6ca352f1b7a52a4c0287b85",
        table_sum="b9f6f55422043abb869033f9fbabaebc61078b6dbbb6413a0ecf337d33da1090",
        is_positive=lambda c: "A" <= c <= "M",
    ),
    "credit": Entry(
        title="Credit",
        n_samples=30_000,
        n_features=23,
        n_labelled_small=None,
        file="credit.csv.gz",
        file_sum="7604f026fb832ff20270825300004397ec6d8e25f364c0c15c9cd239c683d2c1",
        table_sum="425950ae52a9b226d39a3eef897be4174cd43138a664d5685519359d8b07d5bd",
        is_positive=lambda c: c == "0",
    ),
    "mnist": Entry(
        title="MNIST",
        n_samples=70_000,
        n_features=784,
        n_labelled_small=3500,
        file="mnist.npz",
        file_sum="54ddfe01bb1284d50e5473a31c590ba0e723949b611ce6e7604f2e9473754d8a",
        table_sum="f4889b4f804c0438887d33f5a114e99f656557a677acc922b0de7d105d68ad1e",
        is_positive=lambda c: c % 2 == 1,
    ),
}
REAL_NAMES = tuple(REAL)
