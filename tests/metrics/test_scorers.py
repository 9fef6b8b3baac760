"""Scorers made of the metrics, as scikit-learn's searches use them."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from pucut import metrics
from pucut.datasets import pu_split
from pucut.metrics import (
    OneClassPredictionWarning,
    make_pu_scorer,
    nnpu_risk,
    pu_accuracy,
    pu_f1,
    pu_roc_auc,
    upu_risk,
)
from pucut.model_selection import PUStratifiedKFold


def digits(n=400):
    X, digit = load_digits(return_X_y=True)
    X, truth = X[:n], digit[:n] % 2 == 1
    return X, truth, pu_split(truth, 0.5, random_state=0)


def linear(**parameters):
    return make_pipeline(
        StandardScaler(), LogisticRegression(class_weight="balanced", **parameters)
    )


def all_scorers(prior):
    names = [name for name in metrics.__all__ if name.startswith(("pu_", "proxy_", "hidden_"))]
    names += ["lee_liu_score", "upu_risk", "nnpu_risk"]
    return {name: make_pu_scorer(getattr(metrics, name), prior=prior) for name in names}


@pytest.mark.parametrize("words", [False, True])
def test_all_in_a_grid_search(words):
    X, truth, labelled = digits()
    y = np.where(labelled, "known", "a") if words else labelled.astype(int)
    scorers = all_scorers(float(truth.mean()))
    assert len(scorers) == 11
    search = GridSearchCV(
        linear(),
        {"logisticregression__C": [1e-3, 1e-1]},
        scoring=scorers,
        cv=PUStratifiedKFold(3, shuffle=True, random_state=0),
        refit="pu_accuracy",
    ).fit(X, y)
    for name in scorers:
        assert np.isfinite(search.cv_results_[f"mean_test_{name}"]).all()
    assert (search.cv_results_["mean_test_nnpu_risk"] < 0.0).all()
    np.testing.assert_allclose(
        search.cv_results_["mean_test_proxy_accuracy"],
        search.cv_results_["mean_test_pu_accuracy"] + truth.mean(),
    )


def test_a_scorer_says_what_the_metric_says():
    X, truth, labelled = digits()
    prior = float(truth.mean())
    model = linear().fit(X, labelled)
    assert make_pu_scorer(pu_f1, prior=prior)(model, X, labelled) == pu_f1(
        labelled, model.predict(X), prior=prior
    )
    margins = model.decision_function(X)
    assert make_pu_scorer(upu_risk, prior=prior, loss="logistic")(model, X, labelled) == -upu_risk(
        labelled, margins, prior=prior, loss="logistic"
    )
    # The logit of the probability is the margin, where an estimator has no other.
    from_probability = make_pu_scorer(upu_risk, prior=prior, response_method="predict_proba")
    from_margins = make_pu_scorer(upu_risk, prior=prior, loss="zero-one")
    assert from_probability(model, X, labelled) == pytest.approx(from_margins(model, X, labelled))
    for name in ["pu_roc_auc", "hidden_positive_recall"]:
        metric = getattr(metrics, name)
        assert make_pu_scorer(metric, prior=prior)(model, X, labelled) == metric(
            labelled, margins, prior=prior
        )


def test_the_positive_class_is_found_on_either_side():
    X, truth, labelled = digits()
    prior = float(truth.mean())
    y = np.where(labelled, "a", "b")  # the classifier's first class is the positive one
    swapped, usual = linear().fit(X, y), linear().fit(X, labelled)
    for metric in [pu_roc_auc, nnpu_risk, pu_accuracy]:
        one = make_pu_scorer(metric, prior=prior, pos_label="a")(swapped, X, y)
        assert one == pytest.approx(make_pu_scorer(metric, prior=prior)(usual, X, labelled))
        probability = "predict" if metric is pu_accuracy else "predict_proba"
        two = make_pu_scorer(metric, prior=prior, pos_label="a", response_method=probability)
        assert two(swapped, X, y) == pytest.approx(one)


def test_scorers_of_other_metrics_and_estimators():
    X, truth, labelled = digits()

    def share_predicted(y_true, y_pred):
        return float(np.mean(y_pred))

    scorer = make_pu_scorer(share_predicted, greater_is_better=False)
    model = linear().fit(X, labelled)
    assert scorer(model, X, labelled) == -model.predict(X).mean()
    svm = make_pipeline(StandardScaler(), LinearSVC(class_weight="balanced"))
    found = cross_validate(
        svm, X, labelled, cv=PUStratifiedKFold(3), scoring=all_scorers(float(truth.mean()))
    )
    assert all(np.isfinite(found[f"test_{name}"]).all() for name in all_scorers(0.5))


def test_scorers_warn_of_one_class():
    X, _, labelled = digits()
    never = linear().fit(X, labelled)
    never[-1].intercept_ -= 1e6
    for metric in [pu_accuracy, upu_risk]:
        with pytest.warns(OneClassPredictionWarning, match="0 of 400 rows positive"):
            make_pu_scorer(metric, prior=0.5)(never, X, labelled)
    never[-1].coef_[:] = 0.0
    with pytest.warns(OneClassPredictionWarning, match="gives all 400 rows the same score"):
        assert make_pu_scorer(pu_roc_auc, prior=0.5)(never, X, labelled) == pytest.approx(0.5)


def test_scorers_pickle_and_print():
    scorer = make_pu_scorer(nnpu_risk, prior=0.5, loss="logistic")
    assert repr(scorer) == "PUScorer(-nnpu_risk, prior=0.5, loss='logistic')"
    twin = pickle.loads(pickle.dumps(scorer))
    X, _, labelled = digits()
    model = linear().fit(X, labelled)
    assert twin(model, X, labelled) == scorer(model, X, labelled)


def test_errors_of_scorers():
    with pytest.raises(TypeError, match="pu_accuracy needs prior"):
        make_pu_scorer(pu_accuracy)
    for prior in ["half", True, 0.0, 1.5]:
        with pytest.raises(ValueError, match="prior must be a number above 0 and below 1, found"):
            make_pu_scorer(pu_accuracy, prior=prior)
    with pytest.raises(ValueError, match="response_method must be of decision_function, predict"):
        make_pu_scorer(pu_accuracy, prior=0.5, response_method="transform")
    with pytest.raises(TypeError, match="metric must be one of pu_accuracy, pu_bal"):
        make_pu_scorer("accuracy", prior=0.5)
    X, _, labelled = digits()
    with pytest.raises(TypeError, match="pu_roc_auc needs decision_function or predict_proba"):
        make_pu_scorer(pu_roc_auc, prior=0.5)(StandardScaler().fit(X), X, labelled)
    model = linear().fit(X, np.where(labelled, "yes", "no"))
    with pytest.raises(ValueError, match=r"fitted to the classes .*but positive is"):
        make_pu_scorer(pu_roc_auc, prior=0.5)(model, X, labelled)
