"""Plots of fitted estimators, in the manner of scikit-learn's displays.

Each display is a class that holds the numbers of its plot; `from_estimator` and `from_predictions`
make one and draw it, `plot` draws it again. matplotlib (the extra `plots`) is imported when
something is drawn.
"""

from pucut.displays.calibration import PUCalibrationDisplay
from pucut.displays.fits import (
    CutPathDisplay,
    NegativeRankingDisplay,
    PriorSensitivityDisplay,
    SelectionDisplay,
)

__all__ = [
    "CutPathDisplay",
    "NegativeRankingDisplay",
    "PUCalibrationDisplay",
    "PriorSensitivityDisplay",
    "SelectionDisplay",
]
