"""Fitted estimators as files that run no code when they are read.

A model file is a skops file: a zip of arrays and a text that names classes and their attributes.
Only classes that are trusted here are built from it, and what compiled code will follow is checked
before it is built and before it is used (`_checks.py`). A pickle, which can run arbitrary code, is
refused. Needs the extra `cli`.
"""

import dataclasses
import json
import sys
import zipfile
from dataclasses import dataclass
from importlib.metadata import version
from io import BytesIO
from typing import Any

import sklearn
from sklearn.base import BaseEstimator

# A file names classes, and only those that are loaded are trusted: see `_is_trusted`.
from pucut import (
    methods,
    outliers,  # noqa: F401  # loaded, not used
    semi_supervised,  # noqa: F401  # loaded, not used
)
from pucut.model_files._checks import build, check_contents

__all__ = [
    "PICKLE_ENDINGS",
    "ModelFileError",
    "SavedModel",
    "check_available",
    "dump_model",
    "load_model",
]

# Raised when classes of fitted estimators change, so that older files are refused with a reason.
FORMAT = 2
# The largest size of an unpacked file. Models are smaller, and a small file can claim any size.
MOST_BYTES = 64 << 30
# Other types of fitted estimators, besides arrays, classes of pucut, and the types that skops
# trusts: estimators of scikit-learn and types of NumPy. The functions only read arrays.
TRUSTED_OTHERS = frozenset(
    {
        "functools.partial",
        "numpy.dtype",
        "scipy.sparse._csr.csr_array",
        "scipy.sparse._csr.csr_matrix",
        "scipy.sparse._csc.csc_array",
        "sklearn.compose._column_transformer._RemainderColsList",  # a list; in release 1.6
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.tree._tree.Tree",
        "sklearn.utils.validation.check_array",
        "pucut.judging.cross_fitting.positive_scores",
    }
)
PICKLE_ENDINGS = (".pkl", ".pickle", ".joblib", ".sav")

for _name in set(methods.CLASSIFIERS) - set(methods.NEURAL):
    getattr(methods, _name)  # loads it


class ModelFileError(ValueError):
    """A model that cannot be written, or a file that is not a model or not to be trusted."""


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted estimator, and the lists, dicts, strings and arrays that are needed to use it.

    Attributes
    ----------
    estimator : fitted estimator
    about : dict
        Of the writer's choice.
    versions : dict of str to str
        Of the packages it was written with.
    """

    estimator: Any
    about: dict[str, Any]
    versions: dict[str, str]


def check_available() -> None:
    """Raise a `ModelFileError` that says what to install, if model files cannot be written."""
    _skops_io()


def dump_model(estimator: Any, about: dict[str, Any]) -> bytes:
    """Return the bytes of a model file; a `ModelFileError` if they could not be read again."""
    skops_io = _skops_io()
    content = {
        "format": FORMAT,
        "versions": {"pucut": version("pucut"), "scikit-learn": str(sklearn.__version__)},
        "about": about,
        "estimator": estimator,
    }
    try:
        data = bytes(skops_io.dumps(content, compression=zipfile.ZIP_DEFLATED))
    except Exception as error:  # skops reports in many ways what it cannot write
        raise ModelFileError(
            f"{type(estimator).__name__} cannot be written to a model file: {error}"
        ) from error
    if strange := _strange(_untrusted_by_skops(data)):
        raise ModelFileError(
            f"{type(estimator).__name__} cannot be written to a model file: it holds "
            f"{strange}, which a model file may not hold"
        )
    return data


def load_model(data: bytes, name: str = "the file") -> SavedModel:
    """Read a model file; `name` is for errors, and identifies pickles by their ending."""
    if name.lower().endswith(PICKLE_ENDINGS) or data[:1] == b"\x80":
        raise ModelFileError(
            f"{name} is a pickle or joblib file, which can run any code when it is read; only "
            "models that pucut wrote itself (--save-model) are allowed"
        )
    try:
        _check_header(data, name)
        named = _untrusted_by_skops(data)
        if strange := _strange(named):
            raise ModelFileError(
                f"{name} is not read: it names {strange}, which no model file of pucut needs"
            )
        content = build(data, named)
        check_contents(content)
        return SavedModel(content["estimator"], content["about"], content["versions"])
    except ModelFileError:
        raise
    except zipfile.BadZipFile as error:
        raise ModelFileError(f"{name} is not a model file: it is not a zip archive") from error
    except Exception as error:  # foreign bytes can be wrong in any way
        raise ModelFileError(f"{name} is not a model file of pucut: {error!r}") from error


def _check_header(data: bytes, name: str) -> None:
    """Check the size and the format of a file; nothing is built.

    An older file may name classes that are gone, so the format is checked before the names.
    """
    with zipfile.ZipFile(BytesIO(data)) as archive:
        n_bytes = sum(entry.file_size for entry in archive.infolist())
        if n_bytes > MOST_BYTES:
            raise ModelFileError(
                f"{name} is not read: it has {n_bytes >> 30} GiB unpacked, allowed are "
                f"{MOST_BYTES >> 30}"
            )
        content = json.loads(archive.read("schema.json"))["content"]
    found = json.loads(content["format"]["content"])
    writer = json.loads(content["versions"]["content"]["pucut"]["content"])
    if found != FORMAT:
        age = "an older" if isinstance(found, int) and found < FORMAT else "another"
        raise ModelFileError(
            f"{name} was written by {age} version of pucut, {writer}: it has format {found}, and "
            f"this version reads format {FORMAT} only. Fit the model again and save it anew"
        )


def _untrusted_by_skops(data: bytes) -> list[str]:
    return [str(name) for name in _skops_io().get_untrusted_types(data=data)]


def _strange(names: list[str]) -> str:
    return ", ".join(name for name in names if not _is_trusted(name))


def _is_trusted(name: str) -> bool:
    """Tell whether a file may name it: listed above, or a class of pucut that only holds values.

    Nothing is imported for this check: the classes of estimators are loaded with this module.
    """
    if name in TRUSTED_OTHERS:
        return True
    module_name, _, class_name = name.rpartition(".")
    if not module_name.startswith("pucut."):
        return False
    found = getattr(sys.modules.get(module_name), class_name, None)
    return (
        isinstance(found, type)
        and found.__module__ == module_name
        and (dataclasses.is_dataclass(found) or issubclass(found, BaseEstimator))
    )


def _skops_io() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ModelFileError(
            "model files need the package skops: pip install 'pucut[cli]'"
        ) from error
    return skops.io
