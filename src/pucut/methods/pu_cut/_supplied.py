"""Checks of learners and embeddings that users supply."""

from collections.abc import Collection, Mapping
from typing import Any

from pucut.judging.cross_fitting import checked_classifier


def checked_learners(learners: Any, taken: Collection[str] = ()) -> Mapping[str, Any]:
    """Return classifiers by name, from a dict, a list or None; `taken` are names of scores."""
    named = _named(learners, "learners", taken)
    for name, learner in named.items():
        if learner is None:
            raise TypeError(f"learners must be scikit-learn classifiers, found None as {name!r}")
        checked_classifier(learner, None, "learners")
    return named


def checked_embeddings(embeddings: Any, taken: Collection[str] = ()) -> Mapping[str, Any]:
    """Return transformers by name, from a dict, a list or None; `taken` are names of spaces."""
    named = _named(embeddings, "embeddings", taken)
    needed = ("fit", "transform", "get_params", "__sklearn_tags__")
    for name, embedding in named.items():
        is_instance = not isinstance(embedding, type)
        if not (is_instance and all(hasattr(embedding, each) for each in needed)):
            raise TypeError(
                "embeddings must be scikit-learn transformers (instances with fit and transform), "
                f"found {embedding!r} as {name!r}"
            )
    return named


def _named(given: Any, parameter: str, taken: Collection[str]) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, (Mapping, list, tuple)):
        raise TypeError(f"{parameter} must be a list, a dict by name or None, found {given!r}")
    if not isinstance(given, Mapping):
        return _by_class(given)
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"{parameter} must have texts for names, found {name!r}")
        if name in taken:
            raise ValueError(
                f"{parameter} has the name {name!r}, which pucut uses itself: choose another one"
            )
    return dict(given)


def _by_class(given: Any) -> Mapping[str, Any]:
    """Name each by its class, from the second of a class on with a number."""
    names: dict[str, Any] = {}
    for one in given:
        kind = type(one).__name__
        same = sum(other == kind or other.startswith(f"{kind} ") for other in names)
        names[kind if not same else f"{kind} {same + 1}"] = one
    return names
