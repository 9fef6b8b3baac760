"""The command in a real shell: pipes, signals, exit codes, large files."""

import json
import os
import signal
import subprocess
import sys
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from tests.helpers.cli_tables import CLASSIFY, N_ROWS, write_csv

PUCUT = f"{sys.executable} -m pucut"


def shell(command, cwd, **options):
    """Runs a line of bash, in which `pucut` is the command; with pipefail, to see its exit code."""
    script = f'set -o pipefail\npucut() {{ {PUCUT} "$@"; }}\n{command}'
    return subprocess.run(
        ["bash", "-c", script], cwd=cwd, capture_output=True, text=True, timeout=100, **options
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shell")
    write_csv(folder / "genes.csv")
    return folder


QUICK = f"--label-column known {' '.join(CLASSIFY)}"


def test_stdin_to_stdout(folder):
    done = shell(f"cat genes.csv | pucut classify - {QUICK} | tail -n +2 | sort", folder)
    assert done.returncode == 0
    answers = pd.read_csv(StringIO(done.stdout), header=None)
    assert answers[0].tolist() == [f"g{row:04d}" for row in range(N_ROWS)]
    assert "rows are known positives" in done.stderr


def test_a_reader_that_goes_away(folder):
    done = shell(f"pucut classify genes.csv {QUICK} --quiet | head -n 2", folder)
    assert done.stdout.splitlines()[0] == "gene,known,predicted,score,probability"
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""
    # What head leaves in the pipe depends on its size; this one is closed before a line is written.
    call = [*PUCUT.split(), "classify", "genes.csv", *QUICK.split(), "--quiet"]
    with subprocess.Popen(
        call, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_exit_codes(folder):
    done = shell("pucut classify genes.csv --label-column knwon; echo $?", folder)
    assert done.stdout == "2\n"
    assert done.stderr == (
        "pucut: --label-column 'knwon' is no column of genes.csv: did you mean 'known'?\n"
    )
    done = shell("pucut classify genes.csv; echo $?; pucut --version", folder)
    assert done.stdout.startswith("2\npucut ")
    assert "--label-column" in done.stderr


def test_out_is_not_the_input(folder):
    before = (folder / "genes.csv").read_bytes()
    done = shell(f"pucut classify genes.csv {QUICK} --out ./genes.csv", folder)
    assert done.returncode == 2
    assert done.stderr == "pucut: --out './genes.csv' is the input itself: choose another name\n"
    assert (folder / "genes.csv").read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_folder(folder, tmp_path):
    tmp_path.chmod(0o500)
    done = shell(f"pucut classify genes.csv {QUICK} --out {tmp_path}/o.csv", folder)
    assert done.returncode == 2
    assert "is not writable" in done.stderr


def test_devices_are_written_to_and_stay(folder):
    done = shell(
        f"pucut classify genes.csv {QUICK} --quiet --json --out /dev/null && test -c /dev/null",
        folder,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert json.loads(done.stdout)["n_rows"] == N_ROWS


def test_interruption(folder):
    """Stopped while it works: the exit code of shells, one line, nothing written."""
    random = np.random.default_rng(0)
    rows = pd.DataFrame(random.normal(size=(20_000, 12)).round(3)).add_prefix("x")
    write_csv(folder / "long.csv", rows.assign(known=np.resize([1, 0, 0, 0], 20_000)))
    call = [*PUCUT.split(), "classify", "long.csv", "--label-column", "known", "--out", "o.csv"]
    with subprocess.Popen(
        call, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert "rows are known positives" in first
    assert process.returncode == 130, err
    assert out == ""
    assert err == "pucut: interrupted\n"
    assert not [name for name in os.listdir(folder) if name.startswith(("o.csv", ".o.csv"))]


def test_many_rows(folder):
    """200 000 rows, with gaps and texts, ranked by a quick method."""
    n_rows = 200_000
    random = np.random.default_rng(0)
    is_positive = random.random(n_rows) < 0.3
    frame = pd.DataFrame(
        {
            "sample_id": np.arange(n_rows),
            "a": (random.normal(size=n_rows) + 4 * is_positive).round(2),
            "b": random.integers(0, 9, n_rows),
            "site": random.choice(["north", "south"], n_rows),
            "known": np.where(is_positive & (random.random(n_rows) < 0.5), "1", ""),
        }
    )
    frame.loc[random.random(n_rows) < 0.01, "b"] = None
    write_csv(folder / "large.csv", frame, sep=";", encoding="utf-8-sig")
    done = shell(
        "pucut rank large.csv --label-column known --method pu-bagging --prior 0.3 --top 1000",
        folder,
    )
    assert done.returncode == 0, done.stderr
    ranked = pd.read_csv(StringIO(done.stdout))
    assert len(ranked) == 1000
    assert is_positive[ranked["sample_id"]].mean() > 0.95
    assert frame["known"][ranked["sample_id"]].eq("").all()
