"""`pucut demo`: which digits are odd, if 60 % of the odd ones are known and nothing else?"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits

from pucut import methods
from pucut._support.checks import BoolArray
from pucut.cli._ending import UserError
from pucut.cli._output import check_outputs, write_files
from pucut.cli._voice import Voice
from pucut.datasets import pu_split


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    if arguments.out is not None and Path(arguments.out).suffix.lower() not in ("", ".csv"):
        raise UserError(f"--out {arguments.out!r}: the predictions are written as .csv")
    check_outputs({"--out": arguments.out}, [])
    seed = arguments.seed
    X, digit = load_digits(return_X_y=True)
    is_odd = digit % 2 == 1
    is_known = pu_split(is_odd, 0.6, random_state=seed)
    print(f"{len(X)} digits; {is_known.sum()} of the {is_odd.sum()} odd ones are known to be odd.")

    models = {
        "pucut": methods.PUCutClassifier(random_state=seed),
        "2-HNC": methods.TwoHNCClassifier(random_state=seed),
        "PU Extra Trees": methods.PUExtraTreesClassifier(random_state=seed),
        "boosting, known against unknown": methods.PUThresholdClassifier(random_state=seed),
    }
    print(f"\n{'on the unknown digits':<34}{'accuracy':>9}{'balanced':>10}{'seconds':>9}")
    for name, model in models.items():
        start = time.perf_counter()
        with voice.progress_of(model, name, X, int(is_known.sum())):
            model.fit(X, is_known)
        seconds = time.perf_counter() - start
        found, truth = model.transduction_[~is_known], is_odd[~is_known]
        accuracy = np.mean(found == truth)
        balanced = (np.mean(found[truth]) + np.mean(~found[~truth])) / 2
        print(f"{name:<34}{accuracy:>9.2%}{balanced:>10.2%}{seconds:>9.1f}", flush=True)

    chosen = models["pucut"]
    print(f"\n{chosen.prior_estimate_}")
    print(f"True share: {is_odd.mean():.1%}; predicted: {np.mean(chosen.transduction_):.1%}.")
    if arguments.out is not None:
        write_files({arguments.out: _predictions(chosen, X, is_known).encode()})
        print(f"Predictions of all rows are in {arguments.out}.")
    return 0


def _predictions(model: Any, X: npt.NDArray[Any], is_known: BoolArray) -> str:
    columns = (is_known, model.transduction_, model.predict_proba(X)[:, 1], model.scores_)
    lines = ["row,known,odd,probability,score"]
    for row, (known, odd, probability, score) in enumerate(zip(*columns, strict=True)):
        lines.append(f"{row},{int(known)},{int(odd)},{probability:.4f},{score:.6f}")
    return "\n".join([*lines, ""])
