"""For machines where pucut is not built: parts of it from their files, tables by numpy alone."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

SOURCES = Path(__file__).parents[1] / "src" / "pucut"


def from_source(path: str) -> Any:
    """A module of pucut that imports nothing of pucut, loaded from its file."""
    name = Path(path).stem
    spec = importlib.util.spec_from_file_location(name, SOURCES / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def standardised(X: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    spread = X.std(axis=0)
    scaled = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return np.asarray(scaled, dtype=np.float32)
