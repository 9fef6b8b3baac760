"""Writes a digest of every answer of the package on small tables; compares two such files.

A change that should not change a result is checked by running this before it and after it, from the
root of the repository:

    python -m benchmarks.same_bits write before.json
    python -m benchmarks.same_bits write after.json
    python -m benchmarks.same_bits compare before.json after.json

`list` prints the names of the cases. `write --only TEXT` (may be repeated) computes those whose
name contains the text, and `compare --only TEXT` looks at those alone.
"""

import argparse
import importlib.util
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.same_bits_cases import fit_cases
from benchmarks.same_bits_command import command_cases
from benchmarks.same_bits_digests import digest_of_text, refusal
from benchmarks.same_bits_others import other_cases

# Warnings about later versions of libraries come once, at the first call: they are not answers.
FOR_DEVELOPERS = (
    DeprecationWarning,
    PendingDeprecationWarning,
    FutureWarning,
    ImportWarning,
    ResourceWarning,
)


def all_cases(only: Sequence[str] = ()) -> Iterator[tuple[str, Callable[[], dict[str, str]]]]:
    """Name and computation of every case, or of those whose name contains one of the texts."""
    for made in (fit_cases, other_cases, command_cases):
        for name, compute in made():
            if is_wanted(name, only):
                yield name, compute


def is_wanted(name: str, only: Sequence[str]) -> bool:
    return not only or any(text in name for text in only)


def answers(compute: Callable[[], dict[str, str]]) -> dict[str, str]:
    """The answers of a case, or the error that ended it, with the warnings that it gave."""
    with warnings.catch_warnings(record=True) as said, threadpool_limits(1):
        warnings.simplefilter("always")
        try:
            found = compute()
        except Exception as error:  # the other cases are still wanted
            found = refusal(error)
            print(f"failed: {type(error).__name__}: {error}", file=sys.stderr)
    kept = [each for each in said if not issubclass(each.category, FOR_DEVELOPERS)]
    if kept:
        found["warnings"] = ", ".join(sorted({each.category.__name__ for each in kept}))
        texts = sorted({str(each.message) for each in kept})
        found["warning texts"] = digest_of_text("\n".join(texts))
    return found


def write(file: Path, only: Sequence[str] = ()) -> None:
    if importlib.util.find_spec("torch") is not None:
        importlib.import_module("torch").set_num_threads(1)  # others may need the processors
    found, began = {}, time.perf_counter()
    for name, compute in all_cases(only):
        start = time.perf_counter()
        found[name] = answers(compute)
        print(f"{time.perf_counter() - start:6.2f} s  {name}", file=sys.stderr, flush=True)
    print(f"{time.perf_counter() - began:6.0f} s for {len(found)} cases", file=sys.stderr)
    file.write_text(json.dumps(found, indent=1), encoding="utf-8")


def compare(before: Path, after: Path, only: Sequence[str] = ()) -> int:
    """Prints every answer that differs; returns how many do, or are in one file only.

    With an `after` that was written of a part, pass the same `only`.
    """
    old, new = (json.loads(file.read_text(encoding="utf-8")) for file in (before, after))
    n_different = n_same = 0
    for case in sorted(each for each in old.keys() | new.keys() if is_wanted(each, only)):
        left, right = old.get(case, {}), new.get(case, {})
        for answer in sorted(left.keys() | right.keys()):
            if left.get(answer) == right.get(answer):
                n_same += 1
                continue
            n_different += 1
            if answer in left and answer in right:
                print(f"{case}: {answer} differs\n    {left[answer]}\n    {right[answer]}")
            else:
                print(f"{case}: {answer} in {'before' if answer in left else 'after'} only")
    print(f"{n_same} answers have the same bits, {n_different} do not")
    return n_different


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="compute the answers and write them to a file")
    writing.add_argument("file", type=Path)
    writing.add_argument("--list", action="store_true", help="print the names and write nothing")
    listing = commands.add_parser("list", help="print the names of the cases")
    comparing = commands.add_parser("compare", help="print the answers that differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    for command in (writing, listing, comparing):
        command.add_argument(
            "--only",
            action="append",
            default=[],
            metavar="TEXT",
            help="the cases whose name contains this; may be repeated",
        )
    given = parser.parse_args(arguments)
    if given.command == "compare":
        return 1 if compare(given.before, given.after, given.only) else 0
    if given.command == "list" or given.list:
        for name, _ in all_cases(given.only):
            print(name)
    else:
        write(given.file, given.only)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
