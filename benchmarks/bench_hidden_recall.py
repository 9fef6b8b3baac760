"""Hidden recall beside the true one, and the parts of its error.

errors   PUCutClassifier on the practice tables with the true prior. First the mean of hidden recall
         less recall of the unlabelled positives in the same folds, with its standard error, and
         of the latter less the recall of the final fit. Then the constants of the error.
         "variance": the variance of hidden recall around the recall of unlabelled positives in
         the same folds, over that of independent rows, where every label is hidden in turn and
         where not. "change": the root mean square of the recall in the folds less that of the
         final fit, over that of the share of predicted positives that changes between them; the
         median of the tables. Then, for each share of labels, the fits with hidden and true
         recall within two standard errors of both, and the mean error of hidden recall: that of
         independent rows, with the beta distribution of likely recalls, with the variance, with
         the change. The last two constants come from the other tables. Last the error of the
         classifier, with its own constants.

Tables, shares and splits are those of bench_practice. No goals.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from benchmarks.bench_practice import bench as practice
from benchmarks.bench_practice import drawn_labels, error_of, wanted_tasks
from benchmarks.data import PracticeTask
from benchmarks.harness import Benchmark, Run, Skip
from pucut import PUCutClassifier
from pucut.judging.losses import shares_above
from pucut.methods.pu_cut import _cuts as cuts
from pucut.methods.pu_cut._cuts import HiddenRecall, error_of_estimate, hidden_recall

SAME_AS_PRACTICE = ("tables", "most_rows", "shares", "splits")

bench = Benchmark(
    __file__, __doc__, options={name: practice.options[name] for name in SAME_AS_PRACTICE}
)


@dataclass(frozen=True)
class Seen:
    """Recalls of a fit: of hidden rows, and of unlabelled positives in the folds and at the end."""

    table: str
    share: float
    hidden: HiddenRecall
    in_worlds: float
    recall: float
    n_positive: int

    @property
    def variance(self) -> float:
        """Variance of hidden recall around that in the folds, if all rows were independent."""
        recall = min(max(self.in_worlds, 0.02), 0.98)  # 1 in a table would be infinite
        return recall * (1.0 - recall) * (1.0 / self.hidden.n_hidden + 1.0 / self.n_positive)

    def is_within(self, error: float) -> bool:
        both = np.hypot(error, error_of(self.recall, self.n_positive))
        return abs(self.hidden.recall - self.recall) <= 2.0 * both


def seen(task: PracticeTask, share: float, split: int) -> Seen:
    draw = drawn_labels(task, share, split)
    model = PUCutClassifier(prior=draw.prior, random_state=draw.seed)
    with what_is_judged_kept() as kept:
        model.fit(draw.X, draw.is_labelled)
    folds, mixtures, final = kept[-1]
    is_asked = (draw.is_positive & ~draw.is_labelled)[model.row_order_]
    in_worlds = []
    for k, mixture in enumerate(mixtures):
        is_labelled = folds.labels[k] == 1
        others = ~is_labelled
        n_found = folds.n_positive - int(is_labelled.sum())
        in_worlds.append(shares_above(mixture[is_asked], mixture[others], n_found).mean())
    return Seen(
        task.name,
        share,
        hidden_recall(folds, mixtures, final),
        float(np.mean(in_worlds)),
        float(model.transduction_[draw.is_positive & ~draw.is_labelled].mean()),
        int(is_asked.sum()),
    )


@contextmanager
def what_is_judged_kept() -> Iterator[list[tuple]]:
    kept = []

    def kept_and_judged(*given):
        kept.append(given)
        return hidden_recall(*given)

    cuts.hidden_recall = kept_and_judged
    try:
        yield kept
    finally:
        cuts.hidden_recall = hidden_recall


def variance_over_independent(fits: Sequence[Seen]) -> float:
    if not fits:
        return float("nan")
    apart = sum((fit.hidden.recall - fit.in_worlds) ** 2 for fit in fits)
    return apart / sum(fit.variance for fit in fits)


def error_of_change(fits: Sequence[Seen]) -> float:
    of_tables = []
    for table in {fit.table for fit in fits}:
        some = [fit for fit in fits if fit.table == table]
        apart = sum((fit.in_worlds - fit.recall) ** 2 for fit in some)
        of_tables.append(np.sqrt(apart / sum(fit.hidden.changed**2 for fit in some)))
    return float(np.median(of_tables))


@bench.part
def errors(run: Run) -> None:
    tasks = wanted_tasks(run)
    if len(tasks) < 2:
        raise Skip("constants come from the other tables, so that it takes two")
    fits = [
        seen(task, share, split)
        for task in tasks
        for share in run.options.shares
        for split in range(run.options.splits)
    ]
    for share in run.options.shares:
        some = [fit for fit in fits if fit.share == share]
        above = np.array([fit.hidden.recall - fit.in_worlds for fit in some])
        figures = {
            "above worlds": float(above.mean()),
            "its error": float(above.std() / np.sqrt(len(above))),
            "worlds above answer": float(np.mean([fit.in_worlds - fit.recall for fit in some])),
        }
        run.row(f"{share:.0%}", figures)
    for is_in_turn, name in ((True, "every label in turn"), (False, "some labels")):
        some = [fit for fit in fits if fit.hidden.in_turn == is_in_turn]
        run.row(f"hidden: {name}", {"fits": len(some), "variance": variance_over_independent(some)})
    run.row("all", {"fits": len(fits), "change": error_of_change(fits)})
    made = {
        task.name: errors_from([fit for fit in fits if fit.table != task.name]) for task in tasks
    }
    for share in run.options.shares:
        for name in made[tasks[0].name]:
            some = [fit for fit in fits if fit.share == share]
            said = [made[fit.table][name](fit) for fit in some]
            within = [fit.is_within(error) for fit, error in zip(some, said, strict=True)]
            figures = {"within 2": float(np.mean(within)), "error": float(np.mean(said))}
            run.row(f"{share:.0%}, {name}", figures)


def errors_from(others: Sequence[Seen]) -> dict[str, Callable[[Seen], float]]:
    """The possible errors of a fit by name, learned from other tables."""
    variance = variance_over_independent([fit for fit in others if fit.hidden.in_turn])
    change = error_of_change(others)

    def estimate(fit: Seen, variance: float, change: float) -> float:
        n_rows = fit.hidden.n_hidden / (variance if fit.hidden.in_turn else 1.0)
        return error_of_estimate(fit.hidden.recall, n_rows, change * fit.hidden.changed)

    return {
        "independent rows": lambda fit: error_of(fit.hidden.recall, fit.hidden.n_hidden),
        "beta distribution": lambda fit: estimate(fit, 1.0, 0.0),
        "and variance": lambda fit: estimate(fit, variance, 0.0),
        "and change": lambda fit: estimate(fit, variance, change),
        "as said": lambda fit: fit.hidden.standard_error,
    }


if __name__ == "__main__":
    bench.main()
