"""Runs of one benchmark of many, and the results of all in one table."""

import importlib
from pathlib import Path
from typing import Any

from benchmarks.showing import column_widths, machine_facts, table_line

HERE = Path(__file__).parent
# The benchmarks of speed and size, run by default: under half an hour on two processors.
# All others, and all parts of these, run by name; they take hours together.
USUAL: dict[str, tuple[str, ...]] = {
    "parametric_cut": (),
    "convex": ("--repeats", "3"),
    "pu_trees": ("--parts", "speed,memory", "--repeats", "1"),
    "neighbors": ("--parts", "search,threads", "--datasets", "letter,credit,mnist"),
    "two_hnc": (
        *("--parts", "mnist,choosing", "--splits", "2"),
        *("--datasets", "german,phishing,letter,credit"),
    ),
    "growth": ("--parts", "rows,chooser", "--sizes", "10000,100000"),
    "hnc_classifier": ("--parts", "time", "--sizes", "1000,3000,10000"),
    "priors": ("--parts", "time,load", "--methods", "auto,bbe"),
    "answers": ("--repeats", "3"),
}
OWN_PACKAGES = ("benchmarks", "paper", "pucut")


def names() -> list[str]:
    return sorted(file.stem.removeprefix("bench_") for file in HERE.glob("bench_*.py"))


def run_one(name: str, arguments: list[str]) -> dict[str, Any]:
    """Return the results of a benchmark; an extra that it needs may be missing."""
    try:
        module = importlib.import_module(f"benchmarks.bench_{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in OWN_PACKAGES:
            raise
        sentence = f"{name} needs {error.name}, which is not installed"
        print(sentence)
        return {"benchmark": name, "results": [], "left_out": [sentence]}
    found: dict[str, Any] = module.bench.main(arguments)
    return found


def summary_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return every result that has a ratio, and the parts that were left out."""
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
    minutes, processor = (
        {run["benchmark"]: sum(run.get(kind, {}).values()) / 60 for run in found}
        for kind in ("seconds", "processor_seconds")
    )
    left_out = {run["benchmark"]: run["left_out"] for run in found if run["left_out"]}
    return {
        "machine": machine_facts(),
        "results": rows,
        "minutes": minutes,
        "processor_minutes": processor,
        "left_out": left_out,
    }


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
