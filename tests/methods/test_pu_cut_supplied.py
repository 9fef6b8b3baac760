"""Learners and embeddings that users give, and the common scale of columns."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pucut import PUCutClassifier
from pucut.data.row_order import in_given_order
from pucut.datasets import pu_split
from pucut.judging.cross_fitting import cross_fit, mean_scores
from pucut.judging.folds import pu_folds
from pucut.judging.scorers import learner_score
from pucut.judging.spaces import NewRows, needs_labels
from pucut.methods.pu_cut._supplied import checked_learners
from tests.helpers.checks import accuracy


class Reader(ClassifierMixin, BaseEstimator):
    """Knows the answer from a column that is noise to everything else: its bits, shuffled."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        positive = is_written(X[:, 0])
        return np.column_stack([1.0 - positive, positive])


class Writer(TransformerMixin, BaseEstimator):
    """The same knowledge as a place in a plane."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.column_stack([is_written(X[:, 0]) * 10.0, X[:, 1] % 0.1])


def is_written(number):
    return np.floor(number * 2**20) % 2 == 1


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = random.random((300, 4))
    is_positive = is_written(X[:, 0])
    return X, is_positive, pu_split(is_positive, 0.3, random_state=0)


def fitted(table, **given):
    X, is_positive, is_labelled = table
    model = PUCutClassifier(
        prior=float(is_positive.mean()), n_estimators=10, random_state=0, **given
    )
    return model.fit(X, is_labelled)


def test_without_help_there_is_nothing_to_learn(table):
    _, is_positive, is_labelled = table
    assert accuracy(fitted(table).transduction_, is_positive, ~is_labelled) < 0.65


@pytest.mark.parametrize(
    "given", [{"learners": {"reader": Reader()}}, {"embeddings": {"written": Writer()}}]
)
def test_what_knows_the_answer_wins(table, given):
    _, is_positive, is_labelled = table
    model = fitted(table, **given)
    assert accuracy(model.transduction_, is_positive, ~is_labelled) > 0.97
    best = max((c for c in model.selection_ if c.kind == "score"), key=lambda c: c.weight)
    name = "reader" if "learners" in given else "written"
    assert name in best.name
    assert best.weight > 0.3
    assert best.hidden_recall > 0.97
    new = np.random.default_rng(1).random((200, 4))
    assert (model.predict(new) == is_written(new[:, 0])).mean() > 0.97
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))
    copy = clone(model).fit(table[0], is_labelled)
    np.testing.assert_array_equal(copy.scores_, model.scores_)


def test_an_embedding_is_a_space_like_the_others(table):
    model = fitted(table, embeddings=[PCA(2), PCA(3)])
    names = {candidate.name for candidate in model.selection_}
    for space in ("PCA", "PCA 2"):
        assert {f"kernel, {space}", f"walks, {space}"} <= names
        assert f"10 neighbours, {space}, gamma 2" in names
    assert [space.name for space in model.mixture_.spaces[-2:]] == ["PCA", "PCA 2"]
    assert [space.points.shape[1] for space in model.mixture_.spaces[-2:]] == [2, 3]
    expected = PCA(2, random_state=0).fit_transform(table[0][model.row_order_])
    expected /= np.sqrt(expected.var(axis=0).mean())  # one scale for all: proportions are kept
    np.testing.assert_allclose(model.mixture_.spaces[-2].points, expected, atol=1e-9)


@pytest.mark.parametrize("sparse", [False, True])
def test_where_an_embedding_lies_and_its_unit_mean_nothing(table, sparse):
    """Kernels have widths for columns of variance 1."""
    X = table[0]
    found = []
    for moved, unit in ((0.0, 1.0), (0.0 if sparse else 1e3, 1e-4)):
        embedding = FunctionTransformer(
            Moved(moved, unit, sp.csr_array if sparse else np.asarray), validate=False
        )
        found.append(fitted(table, embeddings={"moved": embedding}))
    one, other = found
    for a, b in zip(one.selection_, other.selection_, strict=True):
        assert (a.name, a.hidden_recall) == (b.name, pytest.approx(b.hidden_recall, abs=0.02))
    assert (one.transduction_ == other.transduction_).mean() > 0.98
    assert (one.predict(X[::3] + 0.01) == other.predict(X[::3] + 0.01)).mean() > 0.98


class Moved:
    def __init__(self, moved, unit, kind):
        self.moved, self.unit, self.kind = moved, unit, kind

    def __call__(self, X):
        return self.kind((X[:, :2] + self.moved) * self.unit)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda X: X[:-1], "300 rows .* returned an array of shape \\(299, 4\\)"),
        (lambda X: np.where(X > 0.9, np.nan, X), ".* values that are not finite"),
        (lambda X: X[:, 0], ".* of shape \\(300,\\)"),
    ],
)
def test_what_an_embedding_returns_is_checked(table, broken, message):
    with pytest.raises(ValueError, match=f"embeddings must transform {message}"):
        fitted(table, embeddings=[FunctionTransformer(broken)])


class Watched(TransformerMixin, BaseEstimator):
    """Needs labels, and tells which it was given."""

    given = ()

    def fit(self, X, y):
        Watched.given = (*Watched.given, np.asarray(y).astype(bool))
        return self

    def transform(self, X):
        return np.asarray(X, dtype=float)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def test_an_embedding_that_needs_labels_is_fitted_in_every_fold(table):
    Watched.given = ()
    model = fitted(table, embeddings=[Watched()])
    is_labelled = table[2][model.row_order_]
    *in_folds, final = Watched.given
    np.testing.assert_array_equal(final, is_labelled)
    hidden = np.array([is_labelled & ~labels for labels in in_folds])
    assert len(in_folds) == 5
    np.testing.assert_array_equal(hidden.sum(axis=0), is_labelled)  # each label once
    assert all((labels <= is_labelled).all() for labels in in_folds)


@pytest.mark.parametrize(
    "embedding",
    [
        LinearDiscriminantAnalysis(),
        NeighborhoodComponentsAnalysis(2, max_iter=5),
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    ],
)
def test_embeddings_of_scikit_learn_that_need_labels(embedding):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 8)) * np.linspace(1.0, 5.0, 8)
    is_positive = X[:, 0] > 0.5
    is_labelled = pu_split(is_positive, 0.5, random_state=0)
    assert needs_labels(embedding)
    model = PUCutClassifier(
        prior=is_positive.mean(), embeddings={"own": embedding}, n_estimators=10, random_state=0
    ).fit(X, is_labelled)
    assert model.predict(X[:40]).shape == (40,)
    # What is fitted to noise and labels must not look better than it is.
    noise = random.normal(size=(300, 60))
    at_random = random.random(300) < 0.2
    model.fit(noise, at_random)
    for candidate in model.selection_:
        if "own" in candidate.name:
            assert candidate.hidden_recall < model.prior_ + 3 * candidate.standard_error


def test_embeddings_that_do_not_need_labels_are_not_told():
    assert not needs_labels(PCA())
    assert not needs_labels(make_pipeline(StandardScaler(), PCA()))


def test_learners_have_names_and_see_the_table_as_it_is(table):
    X, _, is_labelled = table
    given = [LogisticRegression(), LinearSVC(), LogisticRegression(C=0.1)]
    assert list(checked_learners(given)) == [
        "LogisticRegression", "LinearSVC", "LogisticRegression 2"
    ]  # fmt: skip
    frame = [{"text": f"{row[0]:.2f}", "number": row[1]} for row in X]
    pandas = pytest.importorskip("pandas")
    model = PUCutClassifier(prior=0.5, learners={"texts": TextReader()}, n_estimators=10)
    model.fit(pandas.DataFrame(frame), is_labelled)
    assert "texts" in {candidate.name for candidate in model.selection_}
    assert model.predict(pandas.DataFrame(frame[:5])).shape == (5,)


def test_a_learner_is_fitted_out_of_fold_to_the_labels_of_each_fold(table):
    X, _, is_labelled = table
    folds = pu_folds(is_labelled, 150, np.random.RandomState(0), np.arange(len(is_labelled)))
    tree = DecisionTreeClassifier(max_depth=3)
    score = learner_score("tree", tree, X, folds, np.random.RandomState(1))
    random = np.random.RandomState(1)
    fits = [cross_fit(tree, X, y == 1, n_folds=3, random_state=random) for y in folds.labels]
    for found, fit in zip([*score.in_folds, score.final.scores], fits, strict=True):
        np.testing.assert_array_equal(found, fit.scores)
    np.testing.assert_array_equal(score.final.reference, fits[-1].scores)
    new = NewRows(X[:20] + 0.1, {}, {})
    np.testing.assert_array_equal(
        score.final.predictor(new), mean_scores(fits[-1].models, X[:20] + 0.1)
    )


class TextReader(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        assert all(isinstance(text, str) for text in X["text"])
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X["text"].astype(float).to_numpy()


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"learners": [LinearRegression()]}, TypeError, "learners must be a scikit-learn class"),
        ({"learners": [LogisticRegression]}, TypeError, "learners must be a scikit-learn class"),
        ({"learners": [None]}, TypeError, "learners must be scikit-learn classifiers, found None"),
        ({"learners": {1: LogisticRegression()}}, TypeError, "texts for names, found 1"),
        ({"learners": {"linear": LogisticRegression()}}, ValueError, "the name 'linear', which"),
        ({"learners": LogisticRegression()}, ValueError, "learners"),
        ({"embeddings": [LogisticRegression()]}, TypeError, "embeddings must be scikit-learn tr"),
        ({"embeddings": [PCA]}, TypeError, "embeddings must be scikit-learn transformers"),
        ({"embeddings": {"all features alike": PCA()}}, ValueError, "the name 'all features alike"),
        (
            {"embeddings": {"a": PCA()}, "learners": {"kernel, a": LogisticRegression()}},
            ValueError,
            "learners has the name 'kernel, a'",
        ),
        ({"embeddings": "pca"}, ValueError, "embeddings"),
    ],
)
def test_what_is_not_a_learner_or_embedding_is_refused(table, params, error, message):
    with pytest.raises(error, match=message):
        fitted(table, **params)


def test_a_clustering_is_an_embedding_too(table):
    assert fitted(table, embeddings=[KMeans(5, n_init=1)]).mixture_.spaces[-1].points.shape[1] == 5


def test_the_common_scale_is_that_of_the_table_given():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 30)) * np.repeat([1.0, 2.0, 4.0], 10)
    y = np.arange(200) < 60
    model = PUCutClassifier(prior=0.5, n_estimators=10, random_state=0).fit(X, y)
    space = next(space for space in model.mixture_.spaces if space.name == "common scale")
    points = in_given_order(space.weighted_points, model.row_order_)
    apart = ((X[0] - X[1]) ** 2).sum() / ((X[2] - X[3]) ** 2).sum()
    assert ((points[0] - points[1]) ** 2).sum() / ((points[2] - points[3]) ** 2).sum() == (
        pytest.approx(apart)
    )
    # Categories have no scale, nor have columns of different units.
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X).assign(kind=np.where(X[:, 0] > 0, "a", "b"))
    frame.columns = frame.columns.astype(str)
    for other in (frame, X[:, :1] * np.ones(4)):
        model.fit(other, y)
        assert "common scale" not in {space.name for space in model.mixture_.spaces}
