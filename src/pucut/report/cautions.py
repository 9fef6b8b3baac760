"""What a reader should know before believing the rest, in plain words."""

from collections.abc import Iterator
from typing import Any

from pucut.report.numbers import count, percent

FEW_LABELS = 30
WIDE_INTERVAL = 0.2
FAR_FROM_PRIOR = 0.02
LOW_RECALL = 0.99


def cautions(summary: dict[str, Any]) -> list[str]:
    """One or two sentences for each thing to mind; none if there is nothing."""
    return [
        *_of_the_prior(summary["data"], summary["prior"]),
        *_of_the_labels(summary["data"]),
        *_of_the_graph(summary["data"], summary["choice"]),
        *_of_the_partition(summary["data"], summary["prior"], summary["choice"]),
    ]


def _of_the_prior(data: dict[str, Any], prior: dict[str, Any]) -> Iterator[str]:
    labelled_share = data["n_labelled"] / data["n_samples"]
    n_positive = round(prior["value"] * data["n_samples"])
    if n_positive <= data["n_labelled"]:
        yield (
            f"The prior, {percent(prior['value'])}, is the share of labelled samples: it leaves no "
            "positives among the unlabelled ones, and all of them are taken for negatives."
        )
    elif n_positive >= data["n_samples"]:
        yield (
            f"The prior, {percent(prior['value'])}, leaves no negatives: every sample is taken for "
            "positive."
        )
    if prior["is_upper_bound"]:
        yield (
            "The prior is only an upper bound. The classes overlap so much that the data fit any "
            f"share of positives between {percent(labelled_share)} (the labelled ones alone) and "
            f"{percent(prior['interval'][1])}; fewer samples may be positive than are shown here."
        )
    elif prior["interval"] and prior["interval"][1] - prior["interval"][0] > WIDE_INTERVAL:
        low, high = prior["interval"]
        yield (
            f"The prior is uncertain: anything between {percent(low)} and {percent(high)} fits the "
            "data. How many samples are positive hangs on it."
        )


def _of_the_labels(data: dict[str, Any]) -> Iterator[str]:
    if data["n_labelled"] < FEW_LABELS:
        yield (
            f"Only {count(data['n_labelled'], 'sample is', 'samples are')} labelled. The ranking, "
            "the prior and the probabilities rest on these few, and may change much with others."
        )


def _of_the_graph(data: dict[str, Any], choice: dict[str, Any]) -> Iterator[str]:
    n_unreached = choice["n_unreached"]
    if n_unreached:
        yield (
            f"No label reaches {count(n_unreached, 'sample', 'samples')} "
            f"({percent(n_unreached / data['n_samples'])}): they lie in parts of the graph without "
            "any labelled sample. The cut says nothing of them; they are ranked by their distance "
            "to the labelled ones, or not at all."
        )
    if choice["neighbor_recall"] is not None and choice["neighbor_recall"] < LOW_RECALL:
        yield (
            "Neighbours were searched approximately: about "
            f"{percent(choice['neighbor_recall'])} of the true nearest neighbours were found."
        )


def _of_the_partition(
    data: dict[str, Any], prior: dict[str, Any], choice: dict[str, Any]
) -> Iterator[str]:
    share = choice["n_positive"] / data["n_samples"]
    if abs(share - prior["value"]) > FAR_FROM_PRIOR:
        yield (
            f"{percent(share)} of the samples are taken for positive, but the prior is "
            f"{percent(prior['value'])}: no partition comes closer, because samples that are much "
            "alike change side together."
        )
    if choice["n_differing"]:
        yield (
            "The classes rest on several graphs. The cuts shown are those of the best one; its "
            f"chosen partition and the final classes differ in "
            f"{count(choice['n_differing'], 'sample', 'samples')}."
        )
