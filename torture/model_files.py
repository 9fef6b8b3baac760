"""Model files with changed arrays and texts: each is refused or predicts; none crashes or hangs."""

import copy
import functools
import json
import warnings
import zipfile
from io import BytesIO

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.ensemble import HistGradientBoostingClassifier

from pucut.methods import METHODS
from pucut.model_files import dump_model, load_model

# Networks cannot be written to model files.
_NAMES = sorted(set(METHODS) - {"nnPU", "uPU"})
_EXTREMES = (0, 1, -1, 2, 7, 255, 2**15, 2**30, 2**31 - 1, -(2**31), 2**40, 2**62, -(2**62))
_ODD_NUMBERS = (np.nan, np.inf, -np.inf, 1e300, -1e300, 5e-324, -0.0)


def run_case(seed: int, number: int) -> None:
    random = np.random.default_rng([seed, number, 3])
    kind = ("numbers", "categories", "sparse")[int(random.integers(3))]
    name = str(random.choice(_NAMES))
    members = dict(_members(name, kind))
    for _ in range(int(random.integers(1, 3))):
        _spoil(members, random)
    data = _packed(members)
    rows = _table(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # files are refused or answer: no third way
        try:
            model = load_model(data).estimator
            for method in ("predict", "predict_proba", "decision_function"):
                getattr(model, method)(rows)
        except Exception:
            return  # a refusal of any kind; the process that is still there is what counts


@functools.cache
def _table(kind: str) -> object:
    random = np.random.default_rng(5)
    X = np.r_[random.normal(0, 1, (30, 3)), random.normal(2, 1, (30, 3))].round(2)
    if kind == "sparse":
        return sp.csr_array(np.where(X > 1, X, 0.0))
    if kind == "categories":
        words = pd.Categorical(np.array(["a", "b", "c"])[random.integers(3, size=60)])
        return pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "c": words})
    return X


@functools.cache
def _members(name: str, kind: str) -> tuple[tuple[str, bytes], ...]:
    labels = np.arange(60) >= 45
    estimator = METHODS[name]().set_params(prior=0.5, random_state=0)
    known = estimator.get_params()
    for parameter, value in (
        ("n_estimators", 8),
        ("estimator__n_estimators", 8),
        ("estimator__max_iter", 5),
    ):
        if parameter in known:
            estimator.set_params(**{parameter: value})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # files are refused or answer: no third way
        if name in ("boosting, prior", "Elkan-Noto"):  # smaller than the default
            estimator.set_params(estimator=HistGradientBoostingClassifier(max_iter=4))
        try:
            estimator.fit(_table(kind), labels)
        except (TypeError, ValueError):  # not every method takes every table
            if kind == "numbers":
                raise
            return _members(name, "numbers")
        data = dump_model(estimator, {})
        load_model(data).estimator.predict(_table(kind))  # unchanged, it must be read
    archive = zipfile.ZipFile(BytesIO(data))
    return tuple((entry, archive.read(entry)) for entry in archive.namelist())


def _packed(members: dict[str, bytes]) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for entry, content in members.items():
            archive.writestr(entry, content)
    return packed.getvalue()


def _spoil(members: dict[str, bytes], random: np.random.Generator) -> None:
    arrays = [entry for entry in members if entry.endswith((".npy", ".npz"))]
    draw = random.random()
    if draw < 0.15 or not arrays:
        members["schema.json"] = _spoiled_schema(members["schema.json"], random)
        return
    entry = str(random.choice(arrays))
    if draw < 0.2:
        members[entry] = members[str(random.choice(arrays))]
    elif draw < 0.25:
        bytes_ = bytearray(members[entry])
        for place in random.integers(len(bytes_), size=4):
            bytes_[place] = int(random.integers(256))
        members[entry] = bytes(bytes_)
    elif entry.endswith(".npz"):
        members[entry] = _spoiled_sparse(members[entry], random)
    else:
        try:
            array = np.load(BytesIO(members[entry]), allow_pickle=False)
        except Exception:  # spoiled before, in whatever way
            return
        members[entry] = _saved(_spoiled(array, random))


def _spoiled_sparse(content: bytes, random: np.random.Generator) -> bytes:
    try:
        parts = dict(np.load(BytesIO(content), allow_pickle=False))
    except Exception:  # spoiled before, in whatever way
        return content
    name = str(random.choice(["indices", "indptr", "data", "shape"]))
    parts[name] = _spoiled(parts[name], random)
    saved = BytesIO()
    np.savez(saved, **parts)
    return saved.getvalue()


def _spoiled(array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    array = np.array(array)
    if array.dtype.names:
        field = str(random.choice(array.dtype.names))
        if array.size and random.random() < 0.8:
            _put(array[field], random)
            return array
    choice = int(random.integers(7))
    if choice == 0:
        return array[: int(random.integers(len(array) + 1))] if array.ndim else array[None]
    if choice == 1:
        return np.concatenate([array, array]) if array.ndim else array[None]
    if choice == 2 and not array.dtype.names:
        wanted = ("f4", "f8", "i4", "i8", "u1", "u8")[int(random.integers(6))]
        with np.errstate(all="ignore"):
            return array.astype(wanted) if array.dtype.kind in "biuf" else array
    if choice == 3:
        return array.reshape(-1)[:, None] if array.ndim == 1 else array.reshape(-1)
    if array.dtype.kind in "biuf" and array.size:
        _put(array, random)
    return array


def _put(array: np.ndarray, random: np.random.Generator) -> None:
    """An odd number at one place, at some, or at all."""
    odd = _EXTREMES + (_ODD_NUMBERS if array.dtype.kind == "f" else ())
    value = np.array(odd[int(random.integers(len(odd)))])
    share = (0.0, 0.3, 1.0)[int(random.integers(3))]
    with np.errstate(all="ignore"):
        chosen = random.random(array.shape) < share
        chosen.flat[int(random.integers(array.size))] = True
        array[chosen] = value.astype(array.dtype)


def _spoiled_schema(text: bytes, random: np.random.Generator) -> bytes:
    schema = json.loads(text)
    dicts = []
    waiting = [schema]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            dicts.append(found)
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
    choice = int(random.integers(3))
    chosen = dicts[int(random.integers(len(dicts)))]
    if choice == 0 and chosen:
        del chosen[str(random.choice(list(chosen)))]
    elif choice == 1:
        other = dicts[int(random.integers(len(dicts)))]
        if "content" in chosen and "content" in other:
            chosen["content"] = copy.deepcopy(other["content"])
    else:
        numbers = [part for part in dicts if part.get("__loader__") == "JsonNode"]
        if numbers:
            part = numbers[int(random.integers(len(numbers)))]
            part["content"] = json.dumps(_EXTREMES[int(random.integers(len(_EXTREMES)))])
    return json.dumps(schema).encode()


def _saved(array: np.ndarray) -> bytes:
    saved = BytesIO()
    np.save(saved, array)
    return saved.getvalue()
