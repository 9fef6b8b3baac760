"""A table of 100 000 rows: its positives are found, and the answers stay."""

import numpy as np
import pytest

from pucut.labelling.journal import About, Journal
from pucut.labelling.ranking import features_of
from pucut.labelling.rows import RowsToLabel
from pucut.labelling.session import Session, row_card, session_status
from pucut.tables.texts import text_matrix
from tests.helpers.labelling_sessions import OTHER, SUBJECT, settle

pytestmark = pytest.mark.slow
N_ROWS = 100_000
N_POSITIVE = 40  # one row in 2 500
N_ANSWERS = 12


def test_the_few_positives_of_a_large_table_are_found(tmp_path):
    random = np.random.default_rng(0)
    truth = np.zeros(N_ROWS, dtype=bool)
    truth[random.permutation(N_ROWS)[:N_POSITIVE]] = True
    texts = [" ".join(words) for words in random.choice(OTHER, (N_ROWS, 4))]
    for row in np.flatnonzero(truth):
        texts[row] += " " + " ".join(random.choice(SUBJECT, 3))
    is_positive, is_negative = np.zeros((2, N_ROWS), dtype=bool)
    is_positive[np.flatnonzero(truth)[:2]] = True
    features = features_of(text_matrix(texts), None)
    rows = RowsToLabel("big.csv", ("text",), (texts,), is_positive, is_negative, features)
    about = About("big.csv", "ab", N_ROWS, "known")
    with Journal(tmp_path / "journal", about) as journal:
        session = Session(rows, journal)
        for key in range(N_ANSWERS):
            row = session.next_row("window", "find")
            assert row_card(session, row)["n_ranked"] == N_ROWS - 2 - key
            session.answer(str(key), "ada", "yes" if truth[row] else "no", row)
            settle(session)
        session.close()
    assert session_status(session)["n_yes"] >= 0.7 * N_ANSWERS
    with Journal(tmp_path / "journal", about) as journal:
        assert (
            sum(truth[entry.row] for entry in journal.entries) == session_status(session)["n_yes"]
        )
        assert len(journal.entries) == N_ANSWERS
