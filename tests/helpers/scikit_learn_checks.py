"""How scikit-learn's own checks are run over PU classifiers."""


def run_scikit_learn_check(estimator, check):
    """A check of scikit-learn's with a given prior: an estimate takes longer than all the rest.

    Some of these checks label nine rows of ten, which the prior must not be below. Some want to
    see classes told apart, and label all the positives there are, which are half of the rows.
    """
    if "prior" in estimator.get_params():
        labels_all = check.func.__name__ == "check_classifiers_train"
        estimator.set_params(prior=0.5 if labels_all else 0.95)
    check(estimator)
