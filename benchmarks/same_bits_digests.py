"""Answers as short texts that are equal if, and only if, all bits of the answers are."""

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from pucut.model_files import ModelFileError, dump_model, load_model

ANSWERS = ("predict", "predict_proba", "decision_function", "score_samples", "predict_propensity")
# Results of the package whose fields are public. Others are known to the package alone, and may
# change.
RESULTS = (
    "BestBin",
    "BiasedLabels",
    "Candidate",
    "ColumnDifference",
    "Comparison",
    "CutPath",
    "FitEstimate",
    "Forest",
    "LabelFrequency",
    "LabellingCheck",
    "MethodScores",
    "Partition",
    "PriorEstimate",
    "StageEstimate",
)
# Fields that are not answers: clocks, memory, counts of work, and classes of the package.
NOT_COMPARED = {"fit_seconds", "predict_seconds", "memory_mb", "counters", "format"}
_MOST_SHOWN = 120


def digest(value: Any) -> str:
    if sp.issparse(value):
        return digest(np.concatenate([value.data, value.indices, value.indptr]))
    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        content = repr(array.tolist()).encode()
    else:
        content = array.dtype.str.encode() + np.ascontiguousarray(array).tobytes()
    return hashlib.sha256(content).hexdigest()[:16]


def digest_of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def page_content(page: str) -> str:
    """A report's page without what no reader sees: white space around tags, the order of keys."""

    def in_order(found: re.Match[str]) -> str:
        return json.dumps(json.loads(found[0]), sort_keys=True)

    page = re.sub(r'(?<=type="application/json" id="summary">).*?(?=</script>)', in_order, page)
    return re.sub(r"\s*(<[^>]*>)\s*", r"\1", re.sub(r"\s+", " ", page))


def found_in(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Every number, text and array in a result, by name; a float as all of its bits.

    Objects that are known to the package alone are left out.
    """
    if type(value).__name__ == "Candidate":
        yield name, _line(value)
    elif dataclasses.is_dataclass(value):
        if type(value).__name__ in RESULTS:
            for field in dataclasses.fields(value):
                if not field.name.startswith("_") and field.name not in NOT_COMPARED:
                    yield from found_in(getattr(value, field.name), f"{name}.{field.name}")
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from found_in(each, f"{name}[{key!r}]")
    elif isinstance(value, tuple | list):
        for place, each in enumerate(value):
            yield from found_in(each, f"{name}[{place}]")
    elif isinstance(value, float | np.floating):
        yield name, float(value).hex()
    elif value is None or isinstance(value, bool | int | str | np.generic):
        text = repr(value)
        yield name, text if len(text) <= _MOST_SHOWN else digest_of_text(text)
    elif isinstance(value, np.ndarray | pd.DataFrame | pd.Series) or sp.issparse(value):
        yield name, digest(value)


def _line(candidate: Any) -> str:
    """All fields of a candidate: a line of `selection_` whose difference can be read."""
    values = (getattr(candidate, field.name) for field in dataclasses.fields(candidate))
    return " | ".join(
        float(each).hex() if isinstance(each, float | np.floating) else str(each) for each in values
    )


def facts(**results: Any) -> dict[str, str]:
    """Return the content of each result, and its text where its class is of the package."""
    found: dict[str, str] = {}
    for name, result in results.items():
        found |= found_in(result, name)
        if type(result).__name__ in RESULTS and type(result).__name__ != "Comparison":
            found[f"{name} printed"] = digest_of_text(str(result))
    return found


def digests_of(fitted: Any, X: Any) -> dict[str, str]:
    """Every public attribute that `fit` has set, and the answers for X."""
    found: dict[str, str] = {}
    for name, value in sorted(vars(fitted).items()):
        if name.startswith("_") or not name.endswith("_"):
            continue
        if name == "step_seconds_":
            found[name] = ", ".join(value)
        elif name == "mixture_":
            found["mixture_.cut_weights"] = digest(value.cut_weights)
            found["mixture_.spaces"] = ", ".join(space.name for space in value.spaces)
            found["mixture_.cuts"] = str(len(value.cuts))
        else:
            found |= found_in(value, name)
        if name == "selection_":
            found["selection_ printed"] = digest_of_text("\n".join(map(str, value)))
            found["selection_ as Python"] = digest_of_text(repr(value))
    return found | answers_of(fitted, X)


def answers_of(fitted: Any, X: Any, suffix: str = "") -> dict[str, str]:
    return {
        f"{answer}{suffix}": digest(_computed(getattr(fitted, answer)(X)))
        for answer in ANSWERS
        if hasattr(fitted, answer)
    }


def _computed(answer: Any) -> Any:
    return answer.compute() if hasattr(answer, "compute") else answer


def kept_answers_of(fitted: Any, X: Any) -> dict[str, str]:
    """The answers of a model that keeps nothing else, and of its copy from a model file."""
    compact = fitted.compact()
    found = answers_of(compact, X, " after compact()")
    try:
        saved = load_model(dump_model(compact, {"about": 1}))
    except ModelFileError as error:
        return found | {"model file": type(error).__name__}
    return found | answers_of(saved.estimator, X, " from a file")


def refusal(error: Exception) -> dict[str, str]:
    """Return a refusal, which is an answer too; its text has a name of its own."""
    return {"refused": type(error).__name__, "refusal text": digest_of_text(str(error))}


def fitted_digests(estimator: Any, X: Any, y: Any, new: Any) -> dict[str, str]:
    try:
        fitted = estimator.fit(X, y)
        found = digests_of(fitted, new)
        return found | kept_answers_of(fitted, new) if hasattr(fitted, "compact") else found
    except (MemoryError, TypeError, ValueError) as error:
        return refusal(error)
