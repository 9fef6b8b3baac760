"""The output of the steps that run experiments, while they run and at their end."""

import sys
import time

from paper.methods import METHODS
from paper.running.runner import clock

# Seconds between lines of progress that stay on the screen or go to a file.
_SECONDS_BETWEEN_LINES = 15.0


class Progress:
    """Lines to stderr: on a screen one that is written over, else one now and then."""

    def __init__(self) -> None:
        self._is_screen = sys.stderr.isatty()
        self._last = float("-inf")
        self._unsaid: str | None = None

    def say(self, text: str) -> None:
        if self._is_screen:
            print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)
            return
        self._unsaid = text
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_LINES:
            self.end()

    def end(self) -> None:
        if self._is_screen:
            print(file=sys.stderr)
        elif self._unsaid is not None:
            print(self._unsaid, file=sys.stderr, flush=True)
            self._last, self._unsaid = time.monotonic(), None


def cost_table(seconds: dict[tuple[str, str], float]) -> str:
    """Hours, minutes and seconds of fitting, datasets down and methods across."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in seconds))
    methods = [name for name in ("prior", *METHODS) if any(m == name for _, m in seconds)]
    lines = [["seconds of fitting", *methods]]
    for dataset in datasets:
        cells = [seconds.get((dataset, method)) for method in methods]
        lines.append([dataset, *("-" if cell is None else f"{cell:.1f}" for cell in cells)])
    sums = [sum(took for (_, m), took in seconds.items() if m == method) for method in methods]
    lines.append(["all", *(f"{total:.1f}" for total in sums)])
    lines.append(["", *(clock(total) for total in sums)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    )
