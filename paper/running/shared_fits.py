"""One fit for runs with the same inputs of their method.

Of such runs one is fitted, like any other run. The others take its scores and classes, and are
compared on their own split and prior.
"""

from dataclasses import replace

from paper.methods import METHODS
from paper.protocol import PAPER_SHARE, REPETITIONS, Run, labels_of
from paper.running.raw import Finished


def fit_for(run: Run) -> Run:
    """The run whose fit serves this one: often itself."""
    depends_on = METHODS[run.method].depends_on
    if depends_on == "prior":
        return run
    split = run.split
    if depends_on == "dataset" and split.suite == "real":
        # A synthetic dataset has one split only.
        split = replace(split, labelled_share=PAPER_SHARE, repetition=REPETITIONS[0])
    return Run(split, run.method, "true")


def with_shared_fit(run: Run, fitted: Finished, estimated: float | None) -> Finished:
    """The run as if it had been fitted itself; `estimated` is None where it takes the true prior.

    Seed, seconds and machine are those of the fit.
    """
    prior = fitted.prior_true if estimated is None else estimated
    return replace(
        fitted,
        run=run,
        is_labelled=labels_of(run.split, fitted.is_positive),
        facts={**fitted.facts, "prior_used": prior},
    )
