"""Rankings from few labels of both kinds: what each learner says, and what becomes of it."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import rankdata
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

from pucut.labelling.ranking import (
    N_STAND_INS,
    Features,
    TrainingRows,
    features_of,
    is_blank,
    linear_svm,
    rank_scores,
    training_rows,
    trees,
    uncertainties,
)
from pucut.tables.texts import MOST_ROWS_WITH_PAIRS, text_matrix

ABOUT = ["heart attack aspirin trial", "stroke aspirin trial placebo", "aspirin prevents stroke"]
OTHERS = ["owl night flight", "river fish spawning", "fish gills salt", "owl prey mouse field"]


def marks(n_rows, *rows):
    is_marked = np.zeros(n_rows, dtype=bool)
    is_marked[list(rows)] = True
    return is_marked


def words(texts):
    return features_of(text_matrix(texts), None)


def planted(seed=0, n_rows=300):
    """Texts of random words; the first 60 also hold words of one subject."""
    random = np.random.default_rng(seed)
    words = np.array([f"word{place}" for place in range(400)])
    subject = np.array(["cough", "fever", "chill", "throat", "nose", "lung"])
    texts = []
    for row in range(n_rows):
        own = list(random.choice(words, 15))
        texts.append(" ".join(own + list(random.choice(subject, 4)) * (row < 60)))
    return texts, np.arange(n_rows) < 60


def test_positives_and_negatives_keep_their_proportion():
    known = TrainingRows(np.arange(10), marks(10, 0, 1))
    weights = known.weights(4.0)
    assert weights[:2].sum() == pytest.approx(4.0 * weights[2:].sum())
    assert weights.mean() == pytest.approx(1.0)
    assert len(set(weights[2:])) == 1


def test_the_svm_minimises_its_objective():
    """Half the squared norm, and C times the weighted squared hinges: no step makes it smaller."""
    random = np.random.default_rng(0)
    X = sp.csr_array(random.random((12, 3)))
    known = TrainingRows(np.arange(8), np.arange(8) < 2)
    scores = linear_svm(X, known)
    plane, *_ = np.linalg.lstsq(np.column_stack([X.toarray(), np.ones(12)]), scores, rcond=None)

    def objective(plane):  # liblinear holds back the intercept too
        margin = np.where(known.is_positive, 1, -1) * (X[:8] @ plane[:3] + plane[3])
        hinge = known.weights(9.8) @ np.maximum(0.0, 1.0 - margin) ** 2
        return 0.5 * plane @ plane + 0.11 * hinge

    least = objective(plane)
    for step in 0.02 * random.normal(size=(200, 4)):
        assert objective(plane + step) > least - 1e-6


@pytest.mark.parametrize("n_negative", [0, 1, 30])
def test_texts_on_the_subject_come_first(n_negative):
    texts, truth = planted()
    is_positive, is_negative = marks(300, 0, 1), marks(300, *range(100, 100 + n_negative))
    scores = rank_scores(words(texts), is_positive, is_negative)
    is_free = ~(is_positive | is_negative)
    order = np.flatnonzero(is_free)[np.argsort(-scores[is_free])]
    assert truth[order[:40]].mean() > 0.6  # a fifth of the rows, at random


def test_there_are_no_plateaus():
    texts, _ = planted()
    scores = rank_scores(words(texts), marks(300, 0), marks(300, 200))
    assert len(np.unique(scores)) > 290


def test_the_score_is_the_rank_by_the_learner():
    X = np.random.default_rng(0).random((20, 2))
    scores = rank_scores(Features(X, lambda X, known: X[:, 1]), marks(20, 0), marks(20, 1))
    assert scores == pytest.approx(rankdata(X[:, 1]) / 20)


def test_votes_of_trees_come_first_and_regression_breaks_their_ties():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    known = TrainingRows(np.arange(20), np.arange(20) < 5)
    data = (X[:20], known.is_positive, known.weights(1.0))
    votes = ExtraTreesClassifier(100, random_state=0).fit(*data).predict_proba(X)[:, 1].round(6)
    odds = LogisticRegression(C=0.1).fit(*data).decision_function(X)
    assert len(np.unique(votes)) < 100  # plateaus
    wanted = np.lexsort((odds, votes))
    assert np.argsort(trees(X, known), kind="stable").tolist() == wanted.tolist()


def test_columns_beside_texts_are_further_columns():
    points = np.array([[3.0, -1.0, 0.0, 2.0], [0.0] * 4, [0.0] * 4])
    both = features_of(text_matrix(["owl", "fish", ""]), points)
    assert both.X.toarray()[:, -4:] == pytest.approx(0.1 * points)
    assert is_blank(both.X).tolist() == [False, False, True]
    with pytest.raises(ValueError, match="texts or points must be given"):
        features_of(None, None)


def test_unlabelled_rows_stand_in_for_negatives_only_while_these_are_few():
    features = Features(np.zeros((100, 1)), None, enough_negatives=N_STAND_INS)
    few = training_rows(features, marks(100, 3), marks(100, 4, 5))
    assert len(few.rows) == 1 + N_STAND_INS
    assert len(set(few.rows)) == len(few.rows)
    assert few.is_positive.sum() == 1
    assert {3, 4, 5} <= set(few.rows)
    enough = training_rows(features, marks(100, 3), marks(100, *range(10, 30)))
    assert enough.rows.tolist() == [3, *range(10, 30)]
    other = training_rows(features, marks(100, 3), marks(100, 4, 5), seed=1)
    assert set(other.rows) != set(few.rows)
    # On tables one negative is enough.
    table = Features(np.zeros((100, 1)), None)
    assert training_rows(table, marks(100, 3), marks(100, 4)).rows.tolist() == [3, 4]
    assert len(training_rows(table, marks(100, 3), marks(100)).rows) == 1 + N_STAND_INS
    assert training_rows(features, marks(100, 3), marks(100, 4), enough=1).rows.tolist() == [3, 4]


def test_a_text_without_words_teaches_nothing():
    texts = [*ABOUT, *OTHERS, ""]
    view = words(texts)
    assert is_blank(view.X).tolist() == [False] * 7 + [True]
    known = (marks(8, 0, 7), marks(8, 3))
    with_blank = rank_scores(view, *known)
    without = rank_scores(view, marks(8, 0), marks(8, 3))
    # The unlabelled rows that stand in for negatives are others: one row less is free.
    assert (np.argsort(-with_blank)[:3] < 3).all()
    assert (np.argsort(-without)[:3] < 3).all()


@pytest.mark.parametrize("positives", [(), (7,)])
def test_without_a_positive_to_learn_from_the_order_is_drawn(positives):
    view = words([*ABOUT, *OTHERS, ""])
    known = (marks(8, *positives), marks(8, 3))
    first = rank_scores(view, *known)
    assert sorted(first) == pytest.approx(np.arange(8) / 8)
    assert (first == rank_scores(view, *known)).all()
    assert (first != rank_scores(view, *known, seed=1)).any()


def test_points_of_a_table_are_ranked_too():
    random = np.random.default_rng(0)
    truth = np.arange(200) < 40
    points = random.normal(size=(200, 5)) + 2.0 * truth[:, None]
    scores = rank_scores(features_of(None, points), marks(200, 0, 1), marks(200, 100, 101))
    assert truth[np.argsort(-scores)[:40]].mean() > 0.9


def test_doubt_is_greatest_where_the_models_are_torn():
    """On a line with positives on the right: between the two kinds, whatever the proportions."""
    points = np.linspace(-3.0, 3.0, 61)[:, None]
    features, known = features_of(None, points), (marks(61, 60), marks(61, *range(12)))
    found, training = uncertainties(features, *known), training_rows(features, *known)
    assert found.min() >= 0.0
    assert found.max() <= 1.0
    models = [
        LogisticRegression(C=0.1).fit(points[training.rows], training.is_positive),
        ExtraTreesClassifier(100, random_state=0).fit(points[training.rows], training.is_positive),
    ]
    share = np.mean([model.predict_proba(points)[:, 1] for model in models], axis=0)
    assert found == pytest.approx(1.0 - 2.0 * np.abs(share - 0.5), abs=1e-6)
    assert 12 < np.argmax(found) < 60
    nothing = uncertainties(features_of(None, points), marks(61), marks(61, 3))
    assert nothing.tolist() == [0.0] * 61


def test_there_is_no_doubt_about_texts_without_words():
    features = words([*ABOUT, "", *OTHERS])
    found = uncertainties(features, marks(8, 0, 1), marks(8, 4, 5))
    assert found[3] == 0.0
    assert (np.delete(found, 3) > 0.0).all()


def test_texts_are_rows_of_length_1_in_words_and_pairs_of_words():
    matrix = text_matrix(["Aspirin trial", "trial of aspirin", "owl"])
    assert np.sqrt(matrix.multiply(matrix).sum(axis=1)) == pytest.approx(1.0)
    assert matrix.shape == (3, len({"aspirin", "trial", "of", "owl"}) + 3)
    assert text_matrix(["", " . "]).shape == (2, 0)
    assert text_matrix(["same words"] * 3).shape == (3, 0)  # in every row: they say nothing
    many = text_matrix(["one two", "three"] * (MOST_ROWS_WITH_PAIRS // 2 + 1))
    assert many.shape[1] == 3
