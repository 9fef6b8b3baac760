"""Runs all benchmarks, or those named, and ends with one table of what they found.

python -m benchmarks                              all of them, which takes hours
python -m benchmarks --quick                      all of them at their smallest setting
python -m benchmarks parametric_cut two_hnc       two of them

Each runs in a process of its own, and writes benchmarks/out/NAME.json. The table has every result
with a ratio; benchmarks/out/summary.json has the same.
"""

import argparse
import importlib
from pathlib import Path
from typing import Any

from benchmarks.processes import in_own_process
from benchmarks.showing import column_widths, machine_facts, table_line, write_json

HERE = Path(__file__).parent
OUT = HERE / "out"
OWN_PACKAGES = ("benchmarks", "paper", "pucut")


def names() -> list[str]:
    return sorted(file.stem.removeprefix("bench_") for file in HERE.glob("bench_*.py"))


def run_one(name: str, arguments: list[str]) -> dict[str, Any]:
    """What a benchmark found; an extra that it cannot do without may be missing."""
    try:
        module = importlib.import_module(f"benchmarks.bench_{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in OWN_PACKAGES:
            raise
        sentence = f"{name} needs {error.name}, which is not installed: left out"
        print(sentence)
        return {"benchmark": name, "results": [], "left_out": [sentence]}
    found: dict[str, Any] = module.bench.main(arguments)
    return found


def summary_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Every result that has a ratio, and what was left out."""
    kept = ("ratio", "goal", "wanted", "peer")
    rows = [
        {
            "benchmark": run["benchmark"],
            "what": f"{result['part']}: {result['name']}",
            **{key: result[key] for key in kept},
        }
        for run in found
        for result in run["results"]
        if result["ratio"] is not None
    ]
    left_out = {run["benchmark"]: run["left_out"] for run in found if run["left_out"]}
    return {"machine": machine_facts(), "results": rows, "left_out": left_out}


def summary_table(rows: list[dict[str, Any]]) -> str:
    cells = [{key: row[key] for key in ("ratio", "goal", "peer")} for row in rows]
    if not cells:
        return "no benchmark has a ratio to show"
    firsts = [(row["benchmark"], row["what"]) for row in rows]
    left, right = (
        max(len(text) for text in column) + 2
        for column in zip(("benchmark", "what"), *firsts, strict=True)
    )
    lines = zip([("benchmark", "what"), *firsts], [{c: c for c in cells[0]}, *cells], strict=True)
    widths = column_widths(cells)
    return "\n".join(
        table_line(f"{name:<{left}}{what}", line, widths, left + right)
        for (name, what), line in lines
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}")
    parser.add_argument("--quick", action="store_true", help="the smallest setting of each")
    given = parser.parse_args()
    unknown = set(given.names) - set(names())
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}: there are {', '.join(names())}")
    found, failed = [], []
    for name in given.names or names():
        arguments = ["--json", str(OUT / f"{name}.json"), *(["--quick"] if given.quick else [])]
        try:
            found.append(in_own_process(run_one, name, arguments))
        except Exception as error:  # the others are still worth running
            print(f"{name} failed: {type(error).__name__}: {error}", flush=True)
            failed.append(name)
    summary = summary_of(found)
    write_json(OUT / "summary.json", summary)
    print(f"\n{summary_table(summary['results'])}")
    for name, sentences in summary["left_out"].items():
        for sentence in sentences:
            print(f"{name}: {sentence}")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
