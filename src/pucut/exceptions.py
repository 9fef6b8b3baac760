"""The warnings of pucut, so that they can be told apart and silenced one by one."""

__all__ = [
    "DeviceNotFoundWarning",
    "NegativesNotUsedWarning",
    "OneClassPredictionWarning",
    "RepeatedRowsWarning",
    "SuspectColumnWarning",
    "UncertainPriorWarning",
    "UnclearLabelsWarning",
]


class DeviceNotFoundWarning(UserWarning):
    """A GPU was asked for that PyTorch does not find, and the processors are used."""


class NegativesNotUsedWarning(UserWarning):
    """A method learns nothing from known negatives, and takes them for unlabelled."""


class OneClassPredictionWarning(UserWarning):
    """A model calls every row positive, or none, or gives all rows the same score."""


class RepeatedRowsWarning(UserWarning):
    """Many rows are copies of others, labels included."""


class SuspectColumnWarning(UserWarning):
    """A column tells which rows were labelled, rather than which are positive."""


class UncertainPriorWarning(UserWarning):
    """The share of positives had to be guessed: the data do not tell it."""


class UnclearLabelsWarning(UserWarning):
    """The values of y may mean something else than what they were taken for."""
