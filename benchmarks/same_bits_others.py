"""Cases besides fits: priors, checks, reports, comparisons and their like."""

import contextlib
import io
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import kneighbors_graph

import pucut
from benchmarks.same_bits_digests import (
    digest,
    digest_of_text,
    digests_of,
    facts,
    fitted_digests,
    found_in,
    page_content,
    refusal,
)
from benchmarks.same_bits_tables import KINDS, SPECIAL, table
from pucut import metrics
from pucut.model_selection import HiddenPositivesSplit, PUStratifiedKFold, hidden_positive_scores

Cases = Iterator[tuple[str, Callable[[], dict[str, str]]]]
REPORTED = {
    "pucut": pucut.PUCutClassifier,
    "2-HNC": pucut.TwoHNCClassifier,
    "PU extra trees": pucut.PUExtraTreesClassifier,
    "boosting": pucut.PUThresholdClassifier,
}


def other_cases() -> Cases:
    for name in KINDS:
        yield f"{name} / outliers", partial(_outliers, name)
        yield f"{name} / next labels", partial(_next_labels, name)
        yield f"{name} / check of labels", partial(_check, name)
    yield from _of_priors()
    yield from _of_sizes_and_choices()
    for method in REPORTED:
        for name in ("small", "mixed columns", "codes"):
            if (method, name) != ("boosting", "mixed columns"):  # it takes no words
                yield f"report / {method}, {name}", partial(_report, method, name)
        yield f"report / {method}, negatives", partial(_report, method, "small", True)
    yield "displays", _displays


def _prior(name: str, method: str, labels: str = "labelled", **given: Any) -> dict[str, str]:
    made = table(name)
    try:
        estimate = pucut.estimate_prior(
            made.known, getattr(made, labels), method, random_state=0, **given
        )
    except (TypeError, ValueError) as error:
        return refusal(error)
    return facts(estimate=estimate) | {"float": float(estimate).hex()}


def _of_priors() -> Cases:
    methods = ("auto", *(each for each in pucut.priors.METHODS if each != "auto"))
    for method in methods:
        for name in (*KINDS, *SPECIAL):
            yield f"prior / {method}, {name}", partial(_prior, name, method)
        for name in ("small", "mixed columns"):
            known = partial(_prior, name, method, "three_values", pos_label=1, neg_label=0)
            yield f"prior / {method}, negatives, {name}", known
        if method not in ("clusters", "km2", "tice"):
            linear = LogisticRegression()
            yield (
                f"prior / {method}, classifier",
                partial(_prior, "small", method, classifier=linear),
            )
            yield f"prior / {method}, scores", partial(_prior_of_scores, method)
    yield "prior / biased", partial(_prior, "small", "auto", labelling="biased")
    yield "prior / folds", partial(_prior, "small", "auto", n_folds=3, n_jobs=2)
    yield "prior / large", partial(_prior, "large, negatives", "auto")


def _prior_of_scores(method: str) -> dict[str, str]:
    made = table("small")
    scores = made.known @ np.linspace(1.0, -1.0, 6) + 2.0 * made.truth
    return _prior("small", method, scores=np.round(expit(scores), 2))


def _outliers(name: str) -> dict[str, str]:
    made = table(name)
    regular = np.flatnonzero(~made.truth)[:40]
    plain = pucut.CutOutlierDetector(random_state=0).fit(made.known)
    told = pucut.CutOutlierDetector(random_state=0, contamination=0.1, n_neighbors=8)
    found = digests_of(plain, made.new)
    told.fit(made.known, regular=regular)
    return found | {f"told, {key}": each for key, each in digests_of(told, made.new).items()}


def _next_labels(name: str) -> dict[str, str]:
    made, found = table(name), {}
    both = np.where(made.codes < 0, np.nan, made.codes)
    positives = np.where(made.labelled, 1.0, np.nan)
    for aim in ("boundary", "positive"):
        for kind, y in (("both", both), ("positives", positives)):
            for model in (None, LogisticRegression()):
                strategy = pucut.CutQueryStrategy(model, aim=aim, random_state=0)
                rows, utilities = strategy.query(made.known, y, batch_size=5, return_utilities=True)
                label = f"{aim}, {kind}, {'no model' if model is None else 'model'}"
                found |= facts(**{label: [rows, utilities, strategy.levels_, strategy.prior_]})
    return found


def _check(name: str) -> dict[str, str]:
    made, found = table(name), {}
    column = list(made.known.columns[:1]) if hasattr(made.known, "columns") else [0]
    for kind, prior in (("given", made.prior), ("auto", "auto")):
        found |= facts(
            **{kind: pucut.check_labelling(made.known, made.labelled, prior=prior, random_state=0)}
        )
    if name == "sparse":
        return found
    biased = pucut.datasets.biased_labels(made.known, made.truth, column, 2.0, 0.4, random_state=0)
    check = pucut.check_labelling(made.known, biased.is_labelled, random_state=0)
    return found | facts(labels=biased, biased=check)


def _of_sizes_and_choices() -> Cases:
    for kind in (pucut.PUCutClassifier, pucut.TwoHNCClassifier):
        name = kind.__name__
        yield f"size / {name}", partial(_sizes, kind)
        yield f"size / {name}, refused", partial(_too_large, kind)
        yield f"size / {name}, verbose", partial(_verbose, kind)
    yield "compare / four methods", partial(_compare, {})
    yield "compare / prior auto", partial(_compare, {"prior": "auto"})
    yield "compare / negatives", partial(_compare, {"neg_label": 0, "pos_label": 1})
    yield "metrics", _metrics
    yield "model selection / folds", _folds
    yield "model selection / scorers", _scorers
    yield "calibration", _calibration
    yield "parametric cut", _parametric_cut


def _sizes(kind: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for n_rows, n_columns, dtype in ((300, 8, float), (30_000, 40, np.float32), (10**6, 20, float)):
        X = np.broadcast_to(np.zeros(n_columns, dtype), (n_rows, n_columns))
        for settings in ({}, {"n_jobs": 4}, {"prior": 0.2, "feature_weights": None}):
            for n_labelled in (None, 60, 700):
                if n_labelled is None or n_labelled < n_rows:
                    estimate = kind(**settings).estimate(X, n_labelled)
                    label = f"{n_rows} x {n_columns}, {settings}, {n_labelled}"
                    found |= facts(**{label: estimate})
                    found |= found_in([estimate.seconds, estimate.bytes], f"{label} in all")
    return found


def _too_large(kind: Any) -> dict[str, str]:
    made = table("small")
    return fitted_digests(
        kind(prior=made.prior, memory_limit="1 kB"), made.known, made.labelled, made.new
    )


def _verbose(kind: Any) -> dict[str, str]:
    made, said = table("small"), io.StringIO()
    with contextlib.redirect_stdout(said):
        kind(prior=made.prior, n_estimators=10, random_state=0, verbose=1).fit(
            made.known, made.labelled
        )
    return {"printed": digest_of_text(re.sub(r"[\d.]+( +\w+)?", "#", said.getvalue()))}


def _compare(settings: dict[str, Any]) -> dict[str, str]:
    made = table("small")
    y = made.three_values if "neg_label" in settings else made.labelled
    names = ["pucut", "2-HNC", "Rocchio", "spies"]
    options = {"prior": made.prior, "random_state": 0, **settings}
    return facts(comparison=pucut.compare(made.known, y, names, truth=made.truth, **options))


def _metrics() -> dict[str, str]:
    made, found = table("small"), {}
    scores = made.known[:, 0] + made.truth
    classes, share = scores > np.median(scores), made.prior
    for labels, names in (
        (made.labelled, {}),
        (made.three_values, {"pos_label": 1, "neg_label": 0}),
    ):
        for name in metrics.__all__:
            metric = getattr(metrics, name)
            if not callable(metric) or isinstance(metric, type) or "make" in name:
                continue
            given = {} if name in ("lee_liu_score", "proxy_roc_auc") else {"prior": share}
            for kind, answer in (("classes", classes), ("scores", scores)):
                try:
                    value = metric(labels, answer, **given, **names)
                except (TypeError, ValueError) as error:
                    value = type(error).__name__
                found |= found_in(value, f"{name} of {kind}, {len(names)}")
    return found


def _folds() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ("small", "copies"):
        made = table(name)
        for n_splits in (2, 5):
            for shuffle in (False, True):
                folds = PUStratifiedKFold(
                    n_splits, shuffle=shuffle, random_state=0 if shuffle else None
                )
                label = f"{name}, {n_splits}, {shuffle}"
                found |= facts(**{label: list(folds.split(made.known, made.labelled))})
            hiding = HiddenPositivesSplit(n_splits, random_state=0)
            hidden = [[each.y, each.is_hidden] for each in hiding.hide(made.labelled, made.known)]
            found |= facts(**{f"{name}, {n_splits}, hidden": hidden})
            split = list(hiding.split(made.known, made.labelled))
            found |= facts(**{f"{name}, {n_splits}, split": split})
    return found


def _scorers() -> dict[str, str]:
    made, found = table("small"), {}
    model = pucut.PUExtraTreesClassifier(prior=made.prior, n_estimators=10, random_state=0)
    for name in ("pu_accuracy", "pu_f1", "pu_roc_auc", "hidden_positive_recall", "nnpu_risk"):
        scorer = metrics.make_pu_scorer(name, prior=made.prior)
        found[f"{name}, scorer"] = repr(scorer)
        folds = PUStratifiedKFold(3)
        found[name] = digest(
            cross_val_score(model, made.known, made.labelled, scoring=scorer, cv=folds)
        )
    for kind in ("PUExtraTreesClassifier", "TwoHNCClassifier"):
        model = getattr(pucut, kind)(prior=made.prior, n_estimators=10, random_state=0)
        recalls = hidden_positive_scores(model, made.known, made.labelled, prior=made.prior)
        found[f"hidden positives, {kind}"] = digest(recalls)
    return found


def _calibration() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ("small", "copies", "one label"):
        made = table(name)
        scores = np.round(made.known[:, 0] + made.truth, 1)
        for half_at in (None, float(np.median(scores))):
            fitted = pucut.calibration.calibrate(scores, made.labelled, made.prior, half_at=half_at)
            found[f"{name}, {half_at}"] = digest(fitted.probabilities(np.linspace(-9, 9, 200)))
    return found


def _parametric_cut() -> dict[str, str]:
    made = table("small")
    near = kneighbors_graph(made.known, 5, mode="distance")
    near.data = np.exp(-(near.data**2))
    graph, ones = (near + near.T).tocsr(), np.ones(near.shape[0])
    path = pucut.parametric_cut(
        graph, source=(0.0 * ones, ones), sink=(ones, 0.0 * ones), source_seeds=made.labelled
    )
    return facts(path=path)


def _report(method: str, name: str, has_negatives: bool = False) -> dict[str, str]:
    made = table(name)
    y, marks = made.labelled, {}
    if has_negatives:
        y, marks = made.three_values, {"pos_label": 1, "neg_label": 0}
    model = REPORTED[method](prior=made.prior, random_state=0, **marks).fit(made.known, y)
    summary = pucut.report.summarise(model, made.known, y, random_state=0)
    summary |= {"version": "", "seconds": dict.fromkeys(summary["seconds"], 0.0)}
    found = {key: digest_of_text(repr(each)) for key, each in summary.items()}
    page = pucut.report.render(summary)
    return found | {"page": digest_of_text(page_content(str(page)))}


def _displays() -> dict[str, str]:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    made, found = table("small"), {}
    pu_cut = pucut.PUCutClassifier(prior=made.prior, random_state=0).fit(made.known, made.labelled)
    cuts = pucut.TwoHNCClassifier(prior=made.prior, random_state=0).fit(made.known, made.labelled)
    drawn = {
        "selection": pucut.SelectionDisplay.from_estimator(pu_cut),
        "ranking": pucut.NegativeRankingDisplay.from_estimator(cuts),
        "path": pucut.CutPathDisplay.from_estimator(cuts),
        "sensitivity": pucut.PriorSensitivityDisplay.from_estimator(pu_cut, made.labelled),
        "calibration": pucut.PUCalibrationDisplay.from_estimator(pu_cut, made.known, made.labelled),
    }
    for name, display in drawn.items():
        axes = display.ax_
        found[name] = digest_of_text(
            repr([line.get_xydata().tolist() for line in axes.get_lines()])
            + repr([each.get_offsets().tolist() for each in axes.collections])
            + repr([each.get_text() for each in axes.texts])
            + repr([axes.get_xlabel(), axes.get_ylabel(), axes.get_title()])
            + repr([each.get_text() for each in axes.get_yticklabels()])
        )
        pyplot.close(display.figure_)
    return found
