"""The frame of every benchmark: its parts, options and table, and the results as JSON.

A benchmark is a module `bench_*.py` that declares one `Benchmark` and its parts:

    bench = Benchmark(__file__, __doc__, goals={"fit": Goal(1.0, wanted=0.5)},
                      options={"repeats": Option(5, quick=1)})

    @bench.part
    def fit(run):
        if run.peer("faiss") is None:
            raise Skip("nothing to compare with")
        times = side_by_side({"pucut": ours, "faiss": theirs}, run.options.repeats)
        run.row("fit", seconds_of(times), ratio=ratio_of(times, "faiss"), goal="fit", peer="faiss")

The smaller a ratio, the better; it meets a goal that it does not exceed. This file, timing.py,
showing.py and bare.py need numpy alone: benchmarks for a GPU also run where pucut is not built.
"""

import argparse
import importlib
import importlib.util
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.showing import Cell, column_widths, machine_facts, table_line, write_json


class Skip(Exception):
    """Raised by a part that cannot be measured here; the text says why."""


@dataclass(frozen=True)
class Goal:
    """The largest ratio that is good enough, and the wanted one."""

    needed: float
    wanted: float | None = None


@dataclass(frozen=True)
class Option:
    """A command-line option. Tuples are given as a comma-separated list."""

    default: Any
    quick: Any = None  # the value with --quick, if it is another one
    help: str = ""


@dataclass(frozen=True)
class Result:
    part: str
    name: str
    figures: Mapping[str, Cell]
    ratio: float | None = None
    goal: float | None = None
    wanted: float | None = None
    peer: str | None = None


@dataclass(eq=False)
class Run:
    """One run of a benchmark: its options, and the results so far."""

    goals: Mapping[str, Goal]
    options: argparse.Namespace
    results: list[Result] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    part: str = ""
    _widths: Mapping[str, int] = field(default_factory=dict)

    def row(
        self,
        name: str,
        figures: Mapping[str, Cell],
        *,
        ratio: float | None = None,
        goal: str | None = None,
        peer: str | None = None,
    ) -> None:
        """Keeps a result and prints it as a line of the table.

        Where a peer is missing the ratio is None, and there is no goal to meet either.
        """
        goal, peer = (goal, peer) if ratio is not None else (None, None)
        needed, wanted = astuple(self.goals[goal]) if goal is not None else (None, None)
        self.results.append(Result(self.part, name, dict(figures), ratio, needed, wanted, peer))
        cells = dict(figures)
        if ratio is not None:
            cells |= {"ratio": ratio, "goal": needed, "peer": peer}
        if list(cells) != list(self._widths)[: len(cells)]:
            self._widths = column_widths([cells])
            print(table_line("", {column: column for column in cells}, self._widths))
        print(table_line(name, cells, self._widths), flush=True)

    def note(self, text: str) -> None:
        print(text, flush=True)

    def leave_out(self, sentence: str) -> None:
        if sentence not in self.left_out:
            self.left_out.append(sentence)
            print(sentence, flush=True)

    def peer(self, name: str) -> Any:
        """Import a module, or return None if it is missing."""
        package = name.partition(".")[0]
        try:
            return importlib.import_module(name)
        except ImportError:
            is_there = importlib.util.find_spec(package) is not None
            why = "cannot be imported" if is_there else "is not installed"
            self.leave_out(f"{package} {why}: measured without it")
            return None


class Benchmark:
    """The parts of a benchmark in the order in which they are declared."""

    def __init__(
        self,
        file: str,
        doc: str | None,
        *,
        goals: Mapping[str, Goal] | None = None,
        options: Mapping[str, Option] | None = None,
    ) -> None:
        self.name = Path(file).stem.removeprefix("bench_")
        self.about, self.goals, self.options = doc or "", goals or {}, options or {}
        self.parts: dict[str, Callable[[Run], None]] = {}

    def part(self, function: Callable[[Run], None]) -> Callable[[Run], None]:
        self.parts[function.__name__] = function
        return function

    def main(self, arguments: Sequence[str] | None = None) -> dict[str, Any]:
        """Runs the parts that the command line names, and returns what --json writes."""
        given = self._parser().parse_args(arguments)
        for name, option in self.options.items():
            if getattr(given, name) is None:
                has_quick = given.quick and option.quick is not None
                setattr(given, name, option.quick if has_quick else option.default)
        run = Run(self.goals, given)
        seconds, processor = {}, {}
        for name in given.parts or self.parts:
            print(f"\n== {self.name}: {name}", flush=True)
            run.part, run._widths = name, {}
            start, used = time.perf_counter(), sum(os.times()[:4])
            try:
                self.parts[name](run)
            except Skip as reason:
                run.leave_out(f"{name}: {reason}")
            seconds[name] = time.perf_counter() - start
            processor[name] = sum(os.times()[:4]) - used
        found = {
            "benchmark": self.name,
            "about": self.about.splitlines()[0] if self.about else "",
            "machine": machine_facts(),
            "options": {name: self._shown(given, name) for name in self.options},
            "seconds": seconds,
            "processor_seconds": processor,  # on a busy machine clocks say little
            "results": [asdict(result) for result in run.results],
            "left_out": run.left_out,
        }
        if given.json is not None:
            write_json(given.json, found)
        return found

    def _shown(self, given: argparse.Namespace, name: str) -> Any:
        """Return the value of an option; for a file or folder its name alone."""
        value = getattr(given, name)
        return Path(value).name if isinstance(value, str) else value

    def _parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(
            prog=f"python -m benchmarks.bench_{self.name}",
            description=self.about,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        all_parts = ", ".join(self.parts)
        parser.add_argument("--parts", type=list_of(str, self.parts), help=f"of {all_parts}")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there too")
        parser.add_argument("--quick", action="store_true", help="the smallest setting")
        for name, option in self.options.items():
            flag = "--" + name.replace("_", "-")
            words = ",".join(map(str, option.default)) if is_list(option) else option.default
            text = option.help + ("" if words is None else f" (default: {words})")
            if isinstance(option.default, bool):
                parser.add_argument(flag, action="store_const", const=True, help=option.help)
            elif is_list(option):
                parser.add_argument(flag, type=list_of(type(option.default[0])), help=text)
            else:
                kind = str if option.default is None else type(option.default)
                parser.add_argument(flag, type=kind, help=text)
        return parser


def is_list(option: Option) -> bool:
    return isinstance(option.default, tuple)


def list_of(kind: type, allowed: Mapping[str, Any] | None = None) -> Callable[[str], Any]:
    def parse(text: str) -> tuple[Any, ...]:
        values = tuple(kind(word) for word in text.split(","))
        if allowed is not None and not set(values) <= set(allowed):
            raise argparse.ArgumentTypeError(f"{text!r} is not of {', '.join(allowed)}")
        return values

    return parse
