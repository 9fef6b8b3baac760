"""Cases of the command `pucut`: every file it writes, and every text it prints.

Everything runs in this process, in a folder of its own; paths, times and versions are left out.
"""

import contextlib
import gzip
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.same_bits_digests import digest_of_text, page_content
from pucut.cli import main

Cases = Iterator[tuple[str, Callable[[], dict[str, str]]]]

# Patterns that differ between two runs, and their replacements.
LEFT_OUT = (
    (r'"seconds": ?\{[^}]*\}', '"seconds": {}'),
    (r'"(fit_seconds|predict_seconds|memory_mb|version)": ?("[^"]*"|[\d.e+-]+)', r'"\1": 0'),
    (r"\d+\.\d\d s\b", "# s"),
    (r"\b\d+(\.\d+)? s\b", "# s"),
    (r"the model file takes [\d.]+ \w+", "the model file takes #"),
    (r"pucut \d+\.[\w.+]+", "pucut #"),
)
# The last columns of the table of `compare` and of `demo`, which are seconds and memory.
LAST_NUMBERS = {"compare": 3, "demo": 1}
WORDS = ["the", "sample", "was", "seen", "in", "week", "and", "then", "kept", "cold", "until"]
ABOUT = (["lipid", "membrane", "fat", "cell"], ["repair", "damage", "strand", "break"])
QUICK = ("--method", "pu-extra-trees", "--prior", "0.4")
LABELS = ("known", "status", "answer", "truth")


def _labelled_by(column: str, table: str = "simple.csv") -> list[str]:
    """A table and its label column; the other columns of labels are no features."""
    others = () if table in ("wide.csv", "european.csv") else set(LABELS) - {column}
    dropped = [part for name in sorted(others) for part in ("--drop", name)]
    return [table, "--label-column", column, *dropped]


def every_column(n_rows: int = 160, seed: int = 0) -> pd.DataFrame:
    """A column of every kind that spreadsheets have, and a label."""
    random = np.random.default_rng(seed)
    is_positive = random.random(n_rows) < 0.4
    size = random.normal(size=n_rows) + 2 * is_positive
    days = pd.Timestamp("2019-03-01") + pd.to_timedelta(random.integers(0, 900, n_rows), "D")
    codes = random.integers(1, 6, n_rows)
    frame = pd.DataFrame(
        {
            "gene": [f"g{row:04d}" for row in range(n_rows)],
            "size": size.round(4),
            "share": [f"{value:.1f} %" for value in 50 + 10 * random.normal(size=n_rows)],
            "price": [f"€{1000 * value:,.2f}" for value in 1 + random.random(n_rows)],
            "mass": [f"{value:.1f} kDa" for value in 10 + 5 * random.random(n_rows) + is_positive],
            "dose": [f"<{value:.1f}" if value < 0.5 else f"{value:.1f}" for value in abs(size)],
            "seen": days.strftime("%d.%m.%Y"),
            "entered": days.strftime("%Y-%m-%dT08:00"),
            "noted": days.strftime("%d %b %Y"),
            "colour": np.where(
                random.random(n_rows) < 0.3, "both", np.where(is_positive, "red", "b,l")
            ),
            "seat": [f"{code}{'AB'[code % 2]}" for code in codes],
            "code": codes,
            "is old": np.where(random.random(n_rows) < 0.5, "yes", "no"),
            "remark": [
                " ".join(
                    random.permutation([*random.choice(WORDS, 8), *random.choice(ABOUT[kind], 2)])
                )
                for kind in is_positive.astype(int)
            ],
            "batch": "first",
            "=formula": np.where(random.random(n_rows) < 0.5, "=1+1", "-x"),
            "nearly empty": [None] * (n_rows - 1) + ["x"],
            "confirmed by": None,
            "known": np.where(is_positive & (random.random(n_rows) < 0.5), "yes", None),
        }
    )
    is_known = frame["known"] == "yes"
    frame.loc[is_known, "confirmed by"] = random.choice(["ada", "bob"], int(is_known.sum()))
    frame["status"] = frame["known"].where(is_known, np.where(is_positive, "unknown", "maybe"))
    frame.loc[~is_positive & (random.random(n_rows) < 0.2), "status"] = "no"
    frame["truth"] = np.where(is_positive, "yes", "no")
    frame["answer"] = frame["status"].where(frame["status"].isin(["yes", "no"]))
    for name in ("size", "colour", "remark", "mass"):
        frame.loc[random.random(n_rows) < 0.1, name] = None
    return frame


def simple(n_rows: int = 200, seed: int = 0) -> pd.DataFrame:
    frame = every_column(n_rows, seed)
    return frame[["gene", "size", "colour", "code", "known", "status", "answer", "truth"]]


def wide(n_rows: int = 60) -> pd.DataFrame:
    """So many columns that they are read all at once."""
    random = np.random.default_rng(0)
    numbers = pd.DataFrame(random.normal(size=(n_rows, 1500)).round(3)).add_prefix("c")
    numbers["c3"] = random.choice(["a", "b"], n_rows)
    numbers["known"] = np.where(numbers["c0"] > 0.5, 1, 0)
    return numbers


def european(n_rows: int = 160) -> pd.DataFrame:
    """Decimal commas, points between thousands, and letters beyond ASCII."""
    frame = every_column(n_rows)
    found = frame[["gene", "seen", "known"]].copy()
    found["größe"] = [f"{value:.3f}".replace(".", ",") for value in frame["size"].fillna(0.0)]
    found["preis"] = [f"1.{row:03d},{row % 100:02d} €" for row in range(n_rows)]
    found["farbe"] = frame["colour"].replace({"red": "grün"})
    return found


def copies() -> pd.DataFrame:
    frame = simple()
    return pd.concat([frame, frame.iloc[::4]], ignore_index=True)


def command_cases() -> Cases:
    calls: dict[str, tuple[str, Sequence[str]]] = {
        "all kinds": ("all.csv", ("--id-column", "gene")),
        "all kinds, suspects dropped": (
            "all.csv",
            ("--drop-suspects", *QUICK),
        ),
        "kinds that the user names": (
            "all.csv",
            (
                *QUICK,
                "--category-column",
                "code",
                "--text-column",
                "seat",
                "--number-column",
                "mass",
                "--date-column",
                "seen=mdy",
                "--drop",
                "confirmed by",
                "--keep-formulas",
            ),
        ),
        "excel": ("all.xlsx", QUICK),
        "excel, a sheet": ("all.xlsx", (*QUICK, "--sheet", "second")),
        "parquet": ("all.parquet", QUICK),
        "feather": ("simple.feather", QUICK),
        "tab": ("simple.tsv", QUICK),
        "packed": ("simple.csv.gz", QUICK),
        "semicolons": ("european.csv", QUICK),
        "semicolons, said": ("european.csv", (*QUICK, "--sep", ";", "--decimal", ",")),
        "wide": ("wide.csv", ("--method", "2-hnc", "--prior", "0.4")),
        "copies": ("copies.csv", QUICK),
    }
    for name, (table, options) in calls.items():
        call = ["classify", *_labelled_by("known", table), *options]
        yield f"command / classify, {name}", partial(_runs, _everything_written(call))
    methods = ("pu-cut", "2-hnc", "rocchio", "boosting-prior", "sar-em", "nnpu")
    plain = _labelled_by("known")
    for method in methods:
        call = ["classify", *plain, "--prior", "30%", "--method", method]
        yield f"command / classify by {method}", partial(_runs, _everything_written(call))
    negatives = _labelled_by("answer")
    words = ["--positive", "yes", "--negative", "no", "--unlabelled", "unknown"]
    for name, options in {
        "negatives": _labelled_by("answer"),
        "negatives, said": [*_labelled_by("status"), *words],
        "negatives, 2-HNC": [*_labelled_by("answer"), "--method", "2-hnc"],
        "two words": [*_labelled_by("status"), *words[:2], "--positive", "unknown", *QUICK],
        "check of labels": [*_labelled_by("answer"), *QUICK, "--check-labels"],
    }.items():
        call = ["classify", *options]
        yield f"command / classify, {name}", partial(_runs, _everything_written(call))
    yield "command / classify, JSON", partial(_runs, [["classify", *plain, *QUICK, "--json"]])
    yield "command / classify, stdout", partial(_runs, [["classify", *plain, *QUICK]])
    yield "command / classify, quiet", partial(_runs, [["classify", *plain, *QUICK, "--quiet"]])
    for ending in ("tsv", "xlsx", "parquet", "feather", "csv.gz"):
        call = ["classify", *_labelled_by("known", "all.csv"), *QUICK, "--out", f"out.{ending}"]
        yield f"command / classify to {ending}", partial(_runs, [call])
    yield "command / prior", partial(_runs, _priors(plain, negatives))
    for name, options in {
        "positive": ["--top", "25"],
        "negative": ["--first", "negative", "--method", "2-hnc"],
        "JSON": ["--json", "--top", "9", *QUICK],
        "by labels": ["--method", "label", "--out", "out.csv"],
    }.items():
        call = ["rank", *(negatives if name == "by labels" else plain), *options]
        yield f"command / rank, {name}", partial(_runs, [call])
    texts = ["rank", *_labelled_by("answer", "all.csv"), "--text-column", "remark"]
    yield (
        "command / rank, texts by labels",
        partial(_runs, [[*texts, "--method", "label"]]),
    )
    some = ["compare", "simple.csv", "--label-column", "known", "--truth-column", "truth"]
    some += ["--drop", "status", "--drop", "answer"]
    some += ["--prior", "0.4", "--methods", "pu-cut,2-hnc,rocchio"]
    yield "command / compare", partial(_runs, [some, [*some, "--json"]])
    yield "command / demo", partial(_runs, [["demo", "--out", "out.csv"]])
    yield "command / refused", partial(_runs, _wrong_calls(plain))


def _everything_written(call: Sequence[str]) -> list[list[str]]:
    """A call that writes all files, then the model on new rows."""
    table = call[1]
    new = "new.csv" if table in ("all.csv", "simple.csv") else table
    files = ["--out", "out.csv", "--report", "out.html"]
    if "nnpu" in call:  # no model file can hold its network
        return [[*call, *files]]
    files += ["--save-model", "out.skops"]
    return [
        [*call, *files],
        ["apply", "out.skops", new, "--out", "applied.csv"],
        ["apply", "out.skops", new, "--json"],
    ]


def _priors(plain: Sequence[str], negatives: Sequence[str]) -> list[list[str]]:
    methods = ("auto", "bbe", "clusters", "dedpul", "elkan_noto", "km2", "tice")
    calls = [["prior", *plain, "--method", method] for method in methods]
    calls += [["prior", *plain, "--json", "--seed", "3"], ["prior", *plain, "--check-labels"]]
    return [*calls, ["prior", *negatives, "--json"], ["prior", *negatives, "--method", "tice"]]


def _wrong_calls(plain: Sequence[str]) -> list[list[str]]:
    table = plain[0]
    return [
        ["classify", table, "--label-column", "nothing"],
        ["classify", "missing.csv", "--label-column", "known"],
        ["classify", table, "--label-column", "size"],
        ["classify", *plain, "--positive", "nobody"],
        ["classify", *plain, "--drop", "nothing"],
        ["classify", "units.csv", "--label-column", "known"],
        ["classify", "thousands.csv", "--label-column", "known"],
        ["classify", "empty.csv", "--label-column", "known"],
        ["classify", *plain, "--out", "out.txt"],
        ["classify", *plain, "--method", "rocchio", "--device", "cuda"],
        ["apply", table, table],
        ["rank", *plain, "--top", "0"],
        ["prior", "wide.csv", "--label-column", "c3"],
        ["compare", table, "--label-column", "known", "--truth-column", "size"],
    ]


def _runs(calls: Sequence[Sequence[str]]) -> dict[str, str]:
    """Run the calls one after the other in one folder; return their texts, codes and files."""
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_tables(folder)
        given = set(folder.iterdir())
        with contextlib.chdir(folder):
            for call in calls:
                found |= _run(list(call), folder)
        for path in sorted(set(folder.iterdir()) - given):
            found[path.name] = _content(path, folder)
    return found


def _run(call: list[str], folder: Path) -> dict[str, str]:
    said, noted = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(noted):
        try:
            code: Any = main(call)
        except SystemExit as left:
            code = left.code
    name = " ".join(call)
    shown = _plain(said.getvalue(), folder)
    n_last = LAST_NUMBERS.get(call[0], 0)
    shown = re.sub(rf"(?m)(\s+[\d.]+){{{n_last}}}$", "", shown) if n_last else shown
    return {
        f"{name}: exit code": str(code),
        f"{name}: stdout": digest_of_text(shown),
        f"{name}: stderr": digest_of_text(_plain(noted.getvalue(), folder)),
    }


def _plain(text: str, folder: Path) -> str:
    text = text.replace(str(folder), "FOLDER")
    for pattern, instead in LEFT_OUT:
        text = re.sub(pattern, instead, text)
    return text


def _content(path: Path, folder: Path) -> str:
    """A digest of what a reader of the file sees."""
    data = path.read_bytes()
    if path.suffix == ".skops":
        return "written"  # it names classes, which may move; `apply` says what it answers
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    reading = {".xlsx": pd.read_excel, ".parquet": pd.read_parquet, ".feather": pd.read_feather}
    if path.suffix in reading:
        frame = reading[path.suffix](path)
        data = (frame.to_csv() + repr(frame.dtypes.tolist())).encode()
    text = _plain(data.decode("utf-8"), folder)
    return digest_of_text(page_content(text) if path.suffix == ".html" else text)


def _write_tables(folder: Path) -> None:
    frame, few = every_column(), simple()
    frame.to_csv(folder / "all.csv", index=False)
    with pd.ExcelWriter(folder / "all.xlsx") as book:
        frame.to_excel(book, sheet_name="first", index=False)
        few.to_excel(book, sheet_name="second", index=False)
    dated = frame.assign(seen=pd.to_datetime(frame["seen"], dayfirst=True))
    dated.astype({"colour": "category"}).to_parquet(folder / "all.parquet", index=False)
    few.to_csv(folder / "simple.csv", index=False)
    few.to_csv(folder / "simple.csv.gz", index=False)
    few.to_csv(folder / "simple.tsv", index=False, sep="\t")
    few.to_feather(folder / "simple.feather")
    european().to_csv(folder / "european.csv", index=False, sep=";", encoding="cp1252")
    wide().to_csv(folder / "wide.csv", index=False)
    copies().to_csv(folder / "copies.csv", index=False)
    every_column(70, seed=1).to_csv(folder / "new.csv", index=False)
    (folder / "units.csv").write_text("x,known\n12 kDa,1\n900 Da,0\n13 kDa,0\n")
    (folder / "thousands.csv").write_text("a;b;known\n1,5;1.234;1\n2,5;2.500;0\n3,5;17;0\n")
    (folder / "empty.csv").write_text("x,known\n")
