"""Allowed values of parameters of estimators, for scikit-learn's validation."""

import numbers

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

COUNT = [Interval(numbers.Integral, 1, None, closed="left")]
COUNT_OR_NONE = [*COUNT, None]
POSITIVE = [Interval(numbers.Real, 0.0, None, closed="neither")]
NOT_NEGATIVE = [Interval(numbers.Real, 0.0, None, closed="left")]
SHARE = [Interval(numbers.Real, 0.0, 1.0, closed="neither")]

# `prior` is compared with the labels later, with an error that shows both numbers. An estimate is
# known by its method: its class belongs to a room below.
PRIOR_CONSTRAINTS = [
    Interval(numbers.Real, 0.0, 1.0, closed="neither"),
    StrOptions({"auto"}),
    HasMethods("as_prior"),
]
THRESHOLD_CONSTRAINTS = [StrOptions({"prior", "half"})]
