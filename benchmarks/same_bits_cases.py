"""The fits of `same_bits`: each case is a name and a function that returns digests."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import pucut
from benchmarks.same_bits_digests import (
    answers_of,
    digest,
    digests_of,
    fitted_digests,
    refusal,
)
from benchmarks.same_bits_tables import KINDS, LARGE, table

Cases = Iterator[tuple[str, Callable[[], dict[str, str]]]]


def estimators() -> dict[str, Callable[..., Any]]:
    """Return the estimators of every table, by name; each takes the prior and the label marks."""

    def plain(kind: Any, **settings: Any) -> Callable[..., Any]:
        return partial(kind, random_state=0, **settings)

    found = {
        "pucut": plain(pucut.PUCutClassifier),
        "pucut, one space": plain(pucut.PUCutClassifier, feature_weights=None, n_neighbors=[5, 8]),
        "2-HNC": plain(pucut.TwoHNCClassifier),
        "2-HNC, two threads": plain(pucut.TwoHNCClassifier, n_jobs=2),
        "2-HNC, nearest": plain(pucut.TwoHNCClassifier, inductive="nearest"),
        "2-HNC, forest": plain(pucut.TwoHNCClassifier, similarity="forest"),
        "2-HNC, grid": plain(pucut.TwoHNCClassifier, lambda_grid=np.arange(501) / 1000),
        "PU extra trees": plain(pucut.PUExtraTreesClassifier),
        "boosting": plain(pucut.PUThresholdClassifier),
        "Elkan-Noto": plain(pucut.ElkanNotoClassifier),
        "SAR-EM": plain(pucut.SAREMClassifier),
        "SAR-EM, columns": plain(pucut.SAREMClassifier, propensity_columns=[0, 1]),
        "spies": plain(pucut.SpyClassifier),
        "Rocchio": plain(pucut.RocchioClassifier),
        "biased SVM": plain(pucut.BiasedSVMClassifier),
        "bagging SVM": plain(pucut.BaggingSVMClassifier),
        "propagation": plain(pucut.PULabelPropagationClassifier),
        "max margin": plain(pucut.PUMaxMarginClassifier),
        "PU bagging": plain(pucut.PUBaggingClassifier),
        "one class": plain(pucut.OneClassPUClassifier),
        "isolation": plain(pucut.OneClassPUClassifier, estimator=IsolationForest()),
    }
    if "NNPUClassifier" in pucut.__all__:
        found["nnPU"] = plain(pucut.NNPUClassifier, max_epochs=5)
        found["uPU"] = plain(pucut.UPUClassifier, max_epochs=5)
    return found


# The methods whose prior is estimated as well.
BY_ESTIMATE = ("pucut", "2-HNC", "boosting", "Elkan-Noto", "SAR-EM", "SAR-EM, columns")


def fit_cases() -> Cases:
    yield from _of_every_table()
    yield from _of_labels()
    yield from _of_pucut()
    yield from _of_two_hnc()
    yield from _of_large_tables()
    yield from _of_hnc()
    yield from _of_dask()


def _fit(name: str, make: Callable[..., Any], prior: Any = None, **given: Any) -> dict[str, str]:
    made = table(name)
    estimator = make(prior=made.prior if prior is None else prior, **given)
    return fitted_digests(estimator, made.known, made.labelled, made.new)


def _fit_negatives(name: str, make: Callable[..., Any]) -> dict[str, str]:
    made = table(name)
    estimator = make(prior=made.prior, pos_label=1, neg_label=0)
    return fitted_digests(estimator, made.known, made.three_values, made.new)


def _of_every_table() -> Cases:
    for name in KINDS:
        for method, make in estimators().items():
            yield f"{name} / {method} / prior given", partial(_fit, name, make)
            if method in BY_ESTIMATE:
                yield f"{name} / {method} / prior auto", partial(_fit, name, make, "auto")
        yield f"{name} / HNC", partial(_hnc, name)


def _of_labels() -> Cases:
    """Known negatives, copies and labels that are few or alone, for every method."""
    for method, make in estimators().items():
        yield f"negatives / {method}", partial(_fit_negatives, "small", make)
        for name in ("copies", "one label", "few labels"):
            yield f"{name} / {method}", partial(_fit, name, make)
    for name in ("cancer", "mixed columns"):
        for method in ("pucut", "2-HNC", "PU extra trees"):
            yield (
                f"negatives / {method}, {name}",
                partial(_fit_negatives, name, estimators()[method]),
            )


def _of_pucut() -> Cases:
    weights = np.linspace(0.2, 2.0, 6)
    numbers_alone = make_pipeline(FunctionTransformer(_first_two), PCA(2))
    variants: dict[str, dict[str, Any]] = {
        "given weights": {"feature_weights": weights},
        "equal weights": {"feature_weights": None},
        "weights of trees": {"feature_weights": "pu_trees"},
        "squared weights": {"feature_weights": "pu_trees_squared"},
        "several n_neighbors": {"n_neighbors": [3, 7, 12]},
        "n_neighbors": {"n_neighbors": 4},
        "sigma": {"sigma": 0.5},
        "approximate": {"neighbors": "approximate"},
        "torch": {"neighbors": "torch"},
        "transformer": {"neighbors": KNeighborsTransformer(n_neighbors=20)},
        "embedding": {"embeddings": [PCA(2), PCA(3)]},
        "embedding that needs y": {"embeddings": {"own": LinearDiscriminantAnalysis()}},
        "embeddings of both kinds": {"embeddings": [LinearDiscriminantAnalysis(), KMeans(4)]},
        "embedding, several n_neighbors": {"embeddings": [numbers_alone], "n_neighbors": [4, 9]},
        "learner": {"learners": [LogisticRegression()]},
        "learners and embedding": {
            "learners": {"linear one": LogisticRegression(C=0.1), "bayes": GaussianNB()},
            "embeddings": {"plane": PCA(2)},
        },
        "threads": {"n_jobs": 2},
        "no GPU": {"device": "cuda"},
        "few trees": {"n_estimators": 7},
    }
    for name, settings in variants.items():
        make = partial(pucut.PUCutClassifier, **{"random_state": 0, **settings})
        yield f"pucut / {name}", partial(_fit, "small", make)
    plain = partial(pucut.PUCutClassifier, random_state=0)
    learned = partial(plain, learners=[GaussianNB()], embeddings=[LinearDiscriminantAnalysis()])
    yield "pucut / learners, negatives", partial(_fit_negatives, "small", learned)
    for name in ("codes", "ordered codes", "noise", "many labels"):
        yield f"pucut / {name}", partial(_fit, name, plain)
        yield f"pucut / {name}, prior auto", partial(_fit, name, plain, "auto")
        yield f"pucut / {name}, negatives", partial(_fit_negatives, name, plain)
    yield "pucut / codes, embedding", partial(_fit, "codes", partial(plain, embeddings=[PCA(3)]))
    yield "pucut / codes, given weights", partial(_pucut_codes_weighted, plain)
    yield "pucut / codes that need too much memory", partial(_pucut_tight, plain)
    yield "pucut / one label, prior auto", partial(_fit, "one label", plain, "auto")
    yield "pucut / copies, prior auto", partial(_fit, "copies", plain, "auto")
    yield "pucut / labelled rows are all alike", partial(_pucut_alike, plain)
    yield "pucut / a column that tells the label", partial(_pucut_suspect, plain)
    yield "pucut / words as labels", partial(_pucut_words, plain)
    yield "pucut / a list", partial(_pucut_list, plain)
    yield "pucut / pyarrow", partial(_pucut_arrow, plain)
    yield "pucut / texts for a learner", partial(_pucut_texts, plain)


def _first_two(X: Any) -> Any:
    return X[:, :2]


def _pucut_codes_weighted(plain: Any) -> dict[str, str]:
    return _fit("codes", partial(plain, feature_weights=[1.0, 1.0, 1.0, 0.2, 0.2]))


def _pucut_tight(plain: Any) -> dict[str, str]:
    made = table("codes")
    # So little that nothing else is left out, however the need is estimated.
    limits = [plain(prior=0.5).estimate(made.known, int(made.labelled.sum())).bytes + 1]
    (limit,) = limits
    found = _fit("codes", partial(plain, memory_limit=limit))
    # The need is an estimate, and has its own cases.
    first = next(key for key in found if key.startswith("selection_[0]"))
    found[first] = re.sub(r"about [\d.]+ \w+", "about # bytes", found[first])
    return {key: each for key, each in found.items() if not key.startswith("selection_ ")}


def _pucut_alike(plain: Any) -> dict[str, str]:
    made = table("small")
    X = np.where(made.labelled[:, None], 5.0, made.known)
    return fitted_digests(plain(prior=made.prior), X, made.labelled, made.new)


def _pucut_suspect(plain: Any) -> dict[str, str]:
    made = table("small")
    X = np.column_stack([made.known, np.where(made.labelled, 7.0, np.nan)])
    new = np.column_stack([made.new, np.full(len(made.new), np.nan)])
    return fitted_digests(plain(prior=made.prior), X, made.labelled, new)


def _pucut_words(plain: Any) -> dict[str, str]:
    made = table("mixed columns")
    words = np.array(["no", "yes", "unknown"], dtype=object)[made.three_values]
    words = np.where(made.three_values < 0, None, words)
    model = plain(prior=made.prior, pos_label="yes", neg_label="no")
    return fitted_digests(model, made.known, words, made.new)


def _pucut_list(plain: Any) -> dict[str, str]:
    made = table("small")
    rows, labels = made.known.tolist(), made.labelled.astype(int).tolist()
    return fitted_digests(plain(prior=made.prior), rows, labels, made.new.tolist())


def _pucut_arrow(plain: Any) -> dict[str, str]:
    import pyarrow as pa

    made = table("mixed columns")
    known, new = (
        pa.Table.from_pandas(each, preserve_index=False) for each in (made.known, made.new)
    )
    return fitted_digests(plain(prior=made.prior), known, made.labelled, new)


def _pucut_texts(plain: Any) -> dict[str, str]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import FunctionTransformer

    made = table("mixed columns")
    words = make_pipeline(
        FunctionTransformer(_words), TfidfVectorizer(token_pattern=r"\S+"), LogisticRegression()
    )
    return fitted_digests(
        plain(prior=made.prior, learners={"words": words}), made.known, made.labelled, made.new
    )


def _words(X: Any) -> list[str]:
    return [f"{colour} {kind}" for colour, kind in zip(X["colour"], X["kind"], strict=True)]


def _of_two_hnc() -> Cases:
    variants: dict[str, dict[str, Any]] = {
        "given weights": {"feature_weights": np.linspace(0.2, 2.0, 6)},
        "equal weights": {"feature_weights": None},
        "squared weights": {"feature_weights": "pu_trees_squared"},
        "n_neighbors": {"n_neighbors": [3, 6], "sigma": 0.4},
        "approximate": {"neighbors": "approximate"},
        "torch": {"neighbors": "torch"},
        "transformer": {"neighbors": KNeighborsTransformer(n_neighbors=20)},
        "forest, nearest": {"similarity": "forest", "inductive": "nearest"},
    }
    for name, settings in variants.items():
        make = partial(pucut.TwoHNCClassifier, **{"random_state": 0, **settings})
        yield f"2-HNC / {name}", partial(_fit, "small", make)
    yield "2-HNC / precomputed similarity", _precomputed_similarity
    yield "2-HNC / precomputed neighbours", _precomputed_neighbors


def _precomputed_similarity() -> dict[str, str]:
    made = table("small")
    similar = np.exp(-(pairwise_distances(made.known) ** 2))
    similar = np.maximum(similar, similar.T) - np.eye(len(similar))
    model = pucut.TwoHNCClassifier(similarity="precomputed", prior=made.prior, random_state=0)
    new = np.exp(-(pairwise_distances(made.new, made.known) ** 2))
    return fitted_digests(model, similar, made.labelled, new)


def _precomputed_neighbors() -> dict[str, str]:
    made = table("small")
    near = kneighbors_graph(made.known, 20, mode="distance")
    model = pucut.TwoHNCClassifier(
        neighbors="precomputed", feature_weights=None, prior=made.prior, random_state=0
    )
    return fitted_digests(model, near, made.labelled, near[:30])


def _of_large_tables() -> Cases:
    few = partial(pucut.PUCutClassifier, n_estimators=10, random_state=0)
    for name in LARGE:
        fit = _fit_negatives if "negatives" in name else _fit
        yield f"{name} / pucut", partial(fit, name, few)
    two_hnc = partial(pucut.TwoHNCClassifier, n_estimators=10, random_state=0)
    yield "large, negatives / 2-HNC", partial(_fit, "large, negatives", two_hnc, "auto")
    yield "large, negatives / HNC", partial(_hnc, "large, negatives")


def _hnc(name: str, **settings: Any) -> dict[str, str]:
    made = table(name)
    model = pucut.HNCClassifier(**{"random_state": 0, **settings})
    return fitted_digests(model, made.known, made.codes, made.new)


def _of_hnc() -> Cases:
    variants: dict[str, dict[str, Any]] = {
        "plus": {"problem": "plus", "lam": 0.1},
        "minus": {"problem": "minus", "lam": 0.1},
        "prior": {"lam": "prior"},
        "given prior": {"lam": "prior", "prior": 0.3},
        "lam cv": {"lam": "cv"},
        "alpha and beta": {"alpha": 0.3, "beta": 0.1},
        "no scores": {"scores": None},
        "no scores, lam cv": {"scores": None, "lam": "cv"},
        "gamma": {"gamma": 2.0},
        "n_neighbors": {"n_neighbors": 9, "sigma": 0.7},
        "trees": {"feature_weights": "trees"},
        "equal weights": {"feature_weights": None},
        "given weights": {"feature_weights": np.linspace(0.2, 2.0, 6)},
        "threads": {"n_jobs": 2},
    }
    for name, settings in variants.items():
        yield f"HNC / {name}", partial(_hnc, "small", **settings)
    for name in ("codes", "ordered codes", "copies"):
        yield f"HNC / {name}", partial(_hnc, name)
    for name, change in _DIGITS.items():
        yield f"HNC / digits, {name}", partial(_hnc_digits, change)


_DIGITS: Mapping[str, Callable[[np.ndarray], tuple[np.ndarray, dict[str, Any]]]] = {
    "ten classes": lambda y: (y, {}),
    "lam cv": lambda y: (y, {"lam": "cv"}),
    "no scores": lambda y: (y, {"scores": None}),
    "trees": lambda y: (y, {"feature_weights": "trees"}),
    "three classes of words": lambda y: (
        np.where(y < 0, None, np.array(["low", "middle", "high"], dtype=object)[y % 3]),
        {"lam": "prior"},
    ),
    "one label of a class": lambda y: (np.where((y == 4) & (np.cumsum(y == 4) > 1), -1, y), {}),
    "one label of each class": lambda y: (_first_of_each(y), {}),
}


def _first_of_each(y: np.ndarray) -> np.ndarray:
    found = np.full(len(y), -1)
    for value in range(10):
        found[np.flatnonzero(y == value)[0]] = value
    return found


def _hnc_digits(change: Any) -> dict[str, str]:
    """Every class has labels, and some rows stand there twice."""
    found, random = load_digits(), np.random.RandomState(0)
    rows = np.concatenate([np.arange(600), np.arange(0, 600, 7)])
    y = np.where(random.rand(len(rows)) < 0.15, found.target[rows], -1)
    labels, settings = change(y)
    model = pucut.HNCClassifier(random_state=0, **settings)
    return fitted_digests(model, found.data[rows], labels, found.data[1000:1100])


def _of_dask() -> Cases:
    for name, kind in (("pucut", "DaskPUCutClassifier"), ("2-HNC", "DaskTwoHNCClassifier")):
        for rows in (
            "small",
            "mixed columns",
            "codes",
            "copies",
            "one label",
            "moons, single precision",
        ):
            yield f"dask / {name}, {rows}", partial(_dask, kind, rows, {})
        yield f"dask / {name}, negatives", partial(_dask, kind, "small", {"neg_label": 0})
        yield f"dask / {name}, prior auto", partial(_dask, kind, "small", {"prior": "auto"})
        weights = {"feature_weights": np.linspace(0.2, 2.0, 6), "n_neighbors": [4, 8]}
        yield f"dask / {name}, given weights", partial(_dask, kind, "small", weights)
        yield (
            f"dask / {name}, approximate",
            partial(_dask, kind, "small", {"neighbors": "approximate"}),
        )
    yield "dask / pucut, large", partial(_dask, "DaskPUCutClassifier", "large, negatives", {}, 5000)


def _dask(kind: str, name: str, settings: dict[str, Any], chunk: int = 90) -> dict[str, str]:
    import dask
    import dask.array as da
    import dask.dataframe as dd

    from pucut import dask as on_dask

    made = table(name)
    options = {"prior": made.prior, "n_estimators": 10, "random_state": 0, **settings}
    y = made.three_values if "neg_label" in settings else made.labelled
    options |= {"pos_label": 1} if "neg_label" in settings else {}
    if hasattr(made.known, "iloc"):
        known, new = (dd.from_pandas(each, npartitions=3) for each in (made.known, made.new))
    else:
        known, new = (da.from_array(each, chunks=(chunk, -1)) for each in (made.known, made.new))
    with dask.config.set(scheduler="synchronous"):
        try:
            fitted = getattr(on_dask, kind)(**options).fit(known, y)
        except (TypeError, ValueError) as error:
            return refusal(error)
        found = digests_of(fitted, new) | answers_of(fitted, made.new, " of rows here")
        here = fitted.gather()
        found |= answers_of(here, made.new, " gathered")
        for answer in ("predict", "predict_proba", "decision_function"):
            of_parts = getattr(on_dask, answer)(here, new).compute()
            found[f"{answer} by the function"] = digest(of_parts)
    return found
