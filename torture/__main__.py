"""python -m torture [--area NAME ...] [--minutes M] [--cases N] [--seed S] [--state FILE]

A run continues from the state file; `--case N` runs one case of an area here.
"""

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path

from torture.running import AREAS, Tally, read_state, run_area, write_state

# An area's part of the time: slow areas get more of it.
SHARES = {
    "graphs": 6,
    "inputs": 4,
    "model_files": 4,
    "tables": 2,
    "kills": 3,
    "permutations": 2,
    "layouts": 2,
    "signals": 1,
}
_SECONDS_OF_A_TURN = 20.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m torture")
    parser.add_argument("--area", action="append", choices=AREAS, help="only these; repeatable")
    parser.add_argument("--minutes", type=float, default=60.0, help="in all (60)")
    parser.add_argument("--cases", type=int, help="no more than so many of each area")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path, default=Path("build/torture.json"))
    parser.add_argument("--case", type=int, help="run this case of the one area, and nothing else")
    arguments = parser.parse_args()
    areas = arguments.area or list(AREAS)
    if arguments.case is not None:
        import_module(f"torture.{areas[0]}").run_case(arguments.seed, arguments.case)
        return 0

    state = read_state(arguments.state)
    end = time.monotonic() + 60.0 * arguments.minutes
    # In turns, so that a stopped run has covered every area.
    while time.monotonic() < end:
        open_areas = [
            area
            for area in areas
            if arguments.cases is None or state.get(area, Tally()).next_case < arguments.cases
        ]
        if not open_areas:
            break
        for area in open_areas:
            tally = state.setdefault(area, Tally())
            turn = time.monotonic() + _SECONDS_OF_A_TURN * SHARES[area]
            run_area(area, arguments.seed, tally, min(end, turn), arguments.cases)
            write_state(arguments.state, state)
            print(
                f"{area:13} {tally.next_case:9} cases {len(tally.failures):5} failures", flush=True
            )
    print()
    for area in areas:
        tally = state.get(area, Tally())
        print(f"{area:13} {tally.next_case:9} cases {len(tally.failures):5} failures")
        for number, problem in tally.failures[:5]:
            print(f"  --area {area} --seed {arguments.seed} --case {number}: {problem}")
    return 1 if any(state[area].failures for area in areas if area in state) else 0


if __name__ == "__main__":
    sys.exit(main())
