"""Run benchmarks, and print one table of their results.

python -m benchmarks                              the usual ones: under half an hour
python -m benchmarks parametric_cut two_hnc       these two, with all their parts
python -m benchmarks --all                        all of them, which takes hours
python -m benchmarks --quick                      all of them at their smallest setting

Each runs in a process of its own, and writes benchmarks/out/NAME.json. The table has every result
with a ratio; benchmarks/out/summary.json has the same.
"""

import argparse

from benchmarks.collecting import HERE, USUAL, names, run_one, summary_of, summary_table
from benchmarks.processes import in_own_process
from benchmarks.showing import write_json

OUT = HERE / "out"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}")
    parser.add_argument("--all", action="store_true", help="all of them, with all their parts")
    parser.add_argument("--quick", action="store_true", help="the smallest setting of each")
    given = parser.parse_args()
    unknown = set(given.names) - set(names())
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}: there are {', '.join(names())}")
    found, failed = [], []
    for name, settings in chosen(given).items():
        arguments = [*settings, "--json", str(OUT / f"{name}.json")]
        try:
            found.append(in_own_process(run_one, name, arguments))
        except Exception as error:  # the others still run
            print(f"{name} failed: {type(error).__name__}: {error}", flush=True)
            failed.append(name)
    summary = summary_of(found) | {"is_quick": given.quick}
    write_json(OUT / "summary.json", summary)
    print(f"\n{summary_table(summary['results'])}")
    took = ", ".join(f"{name} {minutes:.1f}" for name, minutes in summary["minutes"].items())
    in_all, of_processors = (
        sum(summary[kind].values()) for kind in ("minutes", "processor_minutes")
    )
    print(f"minutes: {took}; in all {in_all:.1f}, of processors {of_processors:.1f}")
    for name, sentences in summary["left_out"].items():
        for sentence in sentences:
            print(f"{name}: {sentence}")
    if given.quick:
        print("tables this small show that everything runs; their ratios say nothing about goals")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def chosen(given: argparse.Namespace) -> dict[str, tuple[str, ...]]:
    """The benchmarks to run, each with its settings."""
    if given.quick:
        return dict.fromkeys(given.names or names(), ("--quick",))
    if given.names or given.all:
        return dict.fromkeys(given.names or names(), ())
    return USUAL


if __name__ == "__main__":
    raise SystemExit(main())
