"""Commands killed at a random moment: every output is whole and new, or as it was before."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from pucut.model_files import load_model

_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
# Importing takes as long as the work: most signals should come after it.
_LATEST = 4.0


def run_case(seed: int, number: int) -> None:
    random = np.random.default_rng([seed, number, 5])
    sent = _SIGNALS[number % len(_SIGNALS)]
    with tempfile.TemporaryDirectory() as folder:
        table, out, model = (Path(folder) / name for name in ("t.csv", "out.csv", "m.skops"))
        n_rows = 300
        frame = pd.DataFrame(random.normal(size=(n_rows, 4)), columns=list("abcd"))
        frame["known"] = np.where(np.arange(n_rows) < 60, "1", "")
        frame.to_csv(table, index=False)
        out.write_bytes(b"old")
        model.write_bytes(b"old")
        call = [sys.executable, "-m", "pucut", "classify", str(table), "--label-column", "known"]
        call += ["--method", "pu-extra-trees", "--prior", "0.5", "--quiet"]
        call += ["--out", str(out), "--save-model", str(model)]
        process = subprocess.Popen(call, stderr=subprocess.PIPE, text=True)
        time.sleep(float(random.random()) * _LATEST)
        process.send_signal(sent)
        _, said = process.communicate()
        states = []
        if out.read_bytes() != b"old":
            assert len(pd.read_csv(out)) == n_rows, "half a table"
            states.append("out")
        if model.read_bytes() != b"old":
            load_model(model.read_bytes())
            states.append("model")
        if sent != signal.SIGKILL:
            assert len(states) in (0, 2), f"only {states} after {sent.name}"
            left = [name for name in os.listdir(folder) if name.endswith(".part")]
            assert not left, f"{left} after {sent.name}, exit code {process.returncode}: {said}"
            if process.returncode == 0:
                assert len(states) == 2
