"""What `import pucut` loads: nothing that only some of its users need."""

import subprocess
import sys

HEAVY = {"torch", "dask", "distributed", "matplotlib", "skactiveml", "openpyxl", "skops"}


def test_heavy_libraries_are_not_loaded_before_they_are_needed():
    code = "import sys, pucut; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "pucut" in loaded
    assert loaded & HEAVY == set()
