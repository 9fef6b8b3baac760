"""Columns of free text: used by their words, the same after a round trip through a model file."""

import json
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from pucut.tables.columns import learn_columns
from pucut.tables.kinds import TextFeature, feature_from_dict
from pucut.tables.reading import read_file
from pucut.tables.texts import TextModel, learn_texts
from tests.helpers.cli_tables import CLASSIFY, failure, notes, write_csv

N_ROWS = 200
FILLING = ["the", "sample", "was", "seen", "in", "week", "and", "then", "kept", "cold", "until"]
ABOUT = {
    True: ["repair", "damage", "strand", "break"],
    False: ["lipid", "membrane", "fat", "cell"],
}


def text_table(seed=0, n_rows=N_ROWS):
    """Reports of which two words in ten tell the class, beside a number that says nothing."""
    random = np.random.default_rng(seed)
    is_positive = random.random(n_rows) < 0.4
    reports = [
        " ".join(random.permutation([*random.choice(FILLING, 8), *random.choice(ABOUT[kind], 2)]))
        for kind in map(bool, is_positive)
    ]
    frame = pd.DataFrame(
        {
            "report": reports,
            "size": random.normal(size=n_rows).round(3),
            "known": np.where(is_positive & (random.random(n_rows) < 0.5), "yes", None),
        }
    )
    return frame, is_positive


def test_texts_become_directions_of_tf_idf(tmp_path):
    """The oracle is an exact singular value decomposition of scikit-learn's own TF-IDF."""
    frame, _ = text_table()
    frame.loc[7, "report"] = None
    encoded = learn_columns(read_file(write_csv(tmp_path / "t.csv", frame)), ignored=["known"])
    assert [(feature.name, feature.kind) for feature in encoded.features] == [
        ("report", "text"),
        ("size", "number"),
    ]
    texts = frame["report"].dropna().tolist()
    options = {"sublinear_tf": True, "min_df": 2, "max_df": 0.5}
    terms = np.hstack(
        [
            TfidfVectorizer(**options).fit_transform(texts).toarray(),
            TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), **options)
            .fit_transform(texts)
            .toarray(),
        ]
    )
    left, sizes, _ = np.linalg.svd(terms, full_matrices=False)
    expected = np.abs(left[:, :19] * sizes[:19])
    found = encoded.X.drop(columns="size").to_numpy()
    assert found.shape == (N_ROWS, 19)  # a direction for ten texts
    assert np.isnan(found[7]).all()
    # The last directions of a randomised decomposition are not the exact ones.
    np.testing.assert_allclose(np.abs(np.delete(found, 7, 0))[:, :8], expected[:, :8], atol=0.01)


def test_the_words_tell_the_classes(tmp_path, capsys):
    frame, is_positive = text_table()
    path, model = write_csv(tmp_path / "t.csv", frame), tmp_path / "m.skops"
    call = ["classify", path, "--label-column", "known", *CLASSIFY, "--save-model", model]
    out, err = notes(capsys, *call)
    answers = pd.read_csv(BytesIO(out.encode()))
    assert np.mean((answers["predicted"] == "positive") == is_positive) > 0.9
    assert "  report: text, " in err
    share = int(err.partition("'report': its texts have ")[2].partition("%")[0])
    assert share > 60
    # New rows are read by what was learned of the old ones.
    new, truth = text_table(seed=1)
    out, _ = notes(capsys, "apply", model, write_csv(tmp_path / "new.csv", new))
    predicted = pd.read_csv(BytesIO(out.encode()))["predicted"] == "positive"
    assert np.mean(predicted == truth) > 0.85
    found = json.loads(notes(capsys, *call, "--json")[0])["features"]["report"]
    assert len(found["text"]["directions"]) == 20
    assert found["n_missing"] == 0


def test_a_model_of_texts_is_plain_and_the_same_again():
    texts = text_table()[0]["report"].tolist()
    model = learn_texts(texts)
    again = feature_from_dict(TextFeature("report", model).to_dict()).text
    assert isinstance(again, TextModel)
    np.testing.assert_array_equal(again.values(texts), model.values(texts))
    np.testing.assert_array_equal(learn_texts(texts).values(texts), model.values(texts))
    # Rows of a new table do not depend on each other.
    np.testing.assert_allclose(model.values(texts[5:6]), model.values(texts)[5:6], rtol=1e-12)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["ab12", "cd34", "ef56", "gh78"] * 30, "category"),
        ([f"x{row}" for row in range(120)], "id"),  # names of rows
        ([f"Ann Smith{row}" for row in range(120)], "id"),
        ([f"no two reports are alike {row}" for row in range(120)], "text"),
        ([f"street {row // 2}" for row in range(120)], "text"),
    ],
)
def test_what_is_text(tmp_path, cells, kind):
    frame = pd.DataFrame({"x": cells, "size": range(120), "known": np.resize([1, 0], 120)})
    table = read_file(write_csv(tmp_path / "t.csv", frame))
    plan = learn_columns(table, ignored=["known"])
    found = {feature.name: feature.kind for feature in plan.features}
    assert found.get("x", "id") == kind
    assert ("x" in plan.ids) == (kind == "id")


def test_texts_can_be_named_and_dropped(tmp_path, capsys):
    frame, _ = text_table(n_rows=120)
    frame["sequence"] = [
        "".join(np.random.default_rng(row).choice([*"ACGT"], 30)) for row in range(120)
    ]
    path = write_csv(tmp_path / "t.csv", frame)
    call = ["classify", path, "--label-column", "known", *CLASSIFY, "--json"]
    plain = json.loads(notes(capsys, *call)[0])
    assert plain["id_columns"] == ["sequence"]
    options = ["--text-column", "sequence", "--drop", "report"]
    found = json.loads(notes(capsys, *call, *options)[0])
    assert list(found["features"]) == ["size", "sequence"]
    assert found["features"]["sequence"]["kind"] == "text"
    frame["sequence"] = [chr(0x4E00 + row) for row in range(120)]
    other = write_csv(tmp_path / "o.csv", frame)
    said = failure(capsys, *["classify", other, *call[2:]], "--text-column", "sequence")
    assert "the texts of" in said
    assert "have nothing in common" in said
