"""Learners and embeddings that users give, checked at the door."""

from collections.abc import Mapping
from typing import Any

from pucut.scores.cross_fitting import checked_classifier


def checked_learners(learners: Any) -> Mapping[str, Any]:
    """Classifiers by name, from a dict, a list or None."""
    named = _named(learners, "learners")
    for name, learner in named.items():
        if learner is None:
            raise TypeError(f"learners must be scikit-learn classifiers, found None as {name!r}")
        checked_classifier(learner, None, "learners")
    return named


def checked_embeddings(embeddings: Any) -> Mapping[str, Any]:
    """Transformers by name, from a dict, a list or None."""
    named = _named(embeddings, "embeddings")
    for name, embedding in named.items():
        is_instance = not isinstance(embedding, type)
        has_all = all(hasattr(embedding, each) for each in ("fit", "transform", "get_params"))
        if not (is_instance and has_all):
            raise TypeError(
                "embeddings must be scikit-learn transformers (instances with fit and transform), "
                f"found {embedding!r} as {name!r}"
            )
    return named


def _named(given: Any, parameter: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        if not all(isinstance(name, str) for name in given):
            raise TypeError(f"{parameter} must have texts for names, found {list(given)!r}")
        return dict(given)
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"{parameter} must be a list, a dict by name or None, found {given!r}")
    names: dict[str, Any] = {}
    for one in given:
        kind = type(one).__name__
        same = sum(other == kind or other.startswith(f"{kind} ") for other in names)
        names[kind if not same else f"{kind} {same + 1}"] = one
    return names
