"""The command in a real shell: pipes, signals, exit codes, devices."""

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

pytestmark = pytest.mark.slow

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
    done = shell(f"cat genes.csv | pucut classify - {QUICK} | cat", folder)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == (
        "gene,known,predicted,probability,rank,known_as,positive_if_prior_at_least,score"
    )
    answers = pd.read_csv(StringIO(done.stdout))
    assert answers["gene"].tolist() == [f"g{row:04d}" for row in range(N_ROWS)]
    assert "rows are known positives" in done.stderr


def test_a_reader_that_goes_away(folder):
    """As `head` does; here the pipe is closed before a line is written, whatever its size."""
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
        "pucut: --label-column 'knwon' is not a column of genes.csv: did you mean 'known'?\n"
    )


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes of files")
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write everywhere")
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


def test_a_request_to_end_leaves_no_unfinished_file(folder, tmp_path):
    """The signal comes while files are written: after the first has been begun."""
    code = (
        "import os, signal, sys\n"
        "import pucut._support.files as files\n"
        "real = files._finish\n"
        "def finish(*a):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    real(*a)\n"
        "files._finish = finish\n"
        "from pucut.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    outputs = ["--out", str(tmp_path / "p.csv"), "--save-model", str(tmp_path / "m.skops")]
    call = [sys.executable, "-c", code, "classify", "genes.csv", *QUICK.split(), *outputs]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=100)
    assert done.returncode == 143
    assert done.stderr.splitlines()[-1] == "pucut: terminated"
    assert os.listdir(tmp_path) == []
