"""Simulations by ASReview, run by the Python that has it installed: not a benchmark of its own.

Reads jobs from standard input, one JSON object a line, and answers each with a line: the order in
which ASReview asked for the records, and the seconds of every step. It needs ASReview alone, not
pucut: the two stand in environments of their own.
"""

import json
import sys
import time
from functools import cache
from itertools import pairwise

import asreview
import pandas as pd
from asreview import ActiveLearningCycle, Simulate
from asreview.models.models import get_ai_config


class EnoughFound:
    """Stops when a share of the relevant records has been found and enough have been seen."""

    def __init__(self, n_found, n_seen):
        self.n_found, self.n_seen = n_found, n_seen

    def stop(self, results, data):
        if results is None or len(results) < self.n_seen:
            return False
        return int(results["label"].sum()) >= self.n_found or len(results) >= len(data)


@cache
def features_of(file, model):
    records = pd.read_csv(file)[["title", "abstract"]]
    return cycle_of(model).feature_extractor.fit_transform(records)


def cycle_of(model):
    return ActiveLearningCycle.from_meta(get_ai_config(model)["value"])


def simulated(job):
    labels = job["is_relevant"]
    times = []

    def n_query(results):
        times.append(time.perf_counter())
        return min(1 + len(results) // job["seen_per_batch"], len(labels) - len(results))

    cycle = cycle_of(job["model"])
    cycle.n_query = n_query
    simulation = Simulate(
        features_of(job["file"], job["model"]),
        labels,
        [cycle],
        stopper=EnoughFound(job["n_found"], job["n_seen"]),
        skip_transform=True,
        print_progress=False,
    )
    simulation.label(job["start"])
    simulation.review()
    return {
        "version": asreview.__version__,
        "order": [int(row) for row in simulation._results["record_id"]],
        "seconds": [late - early for early, late in pairwise(times)],
    }


def main():
    for line in sys.stdin:
        print(json.dumps(simulated(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
