"""What a reader should know before believing the rest, in plain words."""

from collections.abc import Iterator
from typing import Any

from pucut.report.numbers import count, percent

FEW_LABELS = 30
WIDE_INTERVAL = 0.2
FAR_FROM_PRIOR = 0.02
LOW_RECALL = 0.99


def cautions(summary: dict[str, Any]) -> list[str]:
    """One or two sentences for each caution; none if there is nothing to say."""
    return [
        *_of_the_prior(summary["data"], summary["prior"]),
        *_of_the_labels(summary["data"]),
        *_of_the_graph(summary),
        *_of_the_share(summary),
    ]


def _of_the_prior(data: dict[str, Any], prior: dict[str, Any]) -> Iterator[str]:
    n_positive = round(prior["value"] * data["n_samples"])
    if n_positive <= data["n_labelled"]:
        yield (
            f"The prior, {percent(prior['value'])}, is the share of labelled samples: it leaves no "
            "positives among the unlabelled ones, and all of them are classified as negative."
        )
    elif n_positive >= data["n_samples"]:
        yield (
            f"The prior, {percent(prior['value'])}, leaves no negatives: every sample is "
            "classified as positive."
        )
    if prior["is_upper_bound"]:
        low, high = prior["interval"]
        yield (
            "The prior is a guess. The classes overlap so much that the data only bound the share "
            f"of positives from above, at about {percent(prior['upper_bound'])}; what is plausible "
            f"lies between {percent(low)} and {percent(high)}. How many samples are positive "
            "depends on it."
        )
    elif prior["interval"] and prior["interval"][1] - prior["interval"][0] > WIDE_INTERVAL:
        low, high = prior["interval"]
        yield (
            f"The prior is uncertain: anything between {percent(low)} and {percent(high)} fits the "
            "data. How many samples are positive depends on it."
        )


def _of_the_labels(data: dict[str, Any]) -> Iterator[str]:
    if data["n_labelled"] < FEW_LABELS:
        yield (
            f"Only {count(data['n_labelled'], 'sample is', 'samples are')} labelled. The ranking, "
            "the prior and the probabilities rest on these few, and other labels could change them "
            "considerably."
        )


def _of_the_graph(summary: dict[str, Any]) -> Iterator[str]:
    partition, recall = summary["partition"], summary["graph"]["neighbor_recall"]
    if partition is not None and partition["n_unreached"]:
        n_unreached = partition["n_unreached"]
        yield (
            f"No label reaches {count(n_unreached, 'sample', 'samples')} "
            f"({percent(n_unreached / summary['data']['n_samples'])}): they lie in parts of the "
            "graph without any labelled sample. The cut says nothing about them; they are ranked "
            "by their distance to the labelled ones where it is known."
        )
    if recall is not None and recall < LOW_RECALL:
        yield (
            "Neighbours were found by an approximate search: about "
            f"{percent(recall)} of the true nearest neighbours were found."
        )


def _of_the_share(summary: dict[str, Any]) -> Iterator[str]:
    share, prior = summary["n_positive"] / summary["data"]["n_samples"], summary["prior"]["value"]
    if abs(share - prior) <= FAR_FROM_PRIOR:
        return
    why = "samples with equal scores always get the same class"
    if summary["partition"] is not None:
        why = "no partition comes closer, because very similar samples change side together"
    yield (
        f"{percent(share)} of the samples are classified as positive, but the prior is "
        f"{percent(prior)}: {why}."
    )
