"""The beginning of the page: the answer, cautions, and what was given, chosen and found."""

from collections.abc import Sequence
from typing import Any

from pucut._support.html import Html, element
from pucut.report.numbers import count, grouped, percent, significant

Facts = Sequence[tuple[str, str]]


def headline(summary: dict[str, Any]) -> str:
    n_positive, n_samples = grouped(summary["n_positive"]), grouped(summary["data"]["n_samples"])
    return f"{n_positive} of {n_samples} samples are classified as positive"


def standfirst(summary: dict[str, Any]) -> str:
    data, prior = summary["data"], summary["prior"]
    n_others = data["n_samples"] - data["n_labelled"]
    n_found = summary["n_positive"] - data["n_labelled"]
    share = percent(prior["value"])
    source = f"the given prior of {share}" if prior["is_given"] else f"the estimated prior, {share}"
    if prior["is_upper_bound"]:
        source += ", which is a guess"
    found = f"rank highest and are classified as positive too, as many as fit {source}"
    if summary["partition"] is not None:
        found = (
            "are on the positive side of the cut whose share of positives comes closest to "
            f"{source}"
        )
    return (
        f"{count(data['n_labelled'], 'sample was', 'samples were')} known to be positive; nothing "
        f"was known about the {count(n_others, 'other', 'others')}. {grouped(n_found)} of these "
        f"{found}."
    )


def cautions(summary: dict[str, Any]) -> Html:
    texts = summary["cautions"]
    if not texts:
        return Html("")
    return element(
        "section",
        element("h2", "Before you read on", id="cautions-title"),
        element("ul", [element("li", text) for text in texts]),
        class_="cautions",
        aria_labelledby="cautions-title",
    )


def facts(summary: dict[str, Any]) -> Html:
    lists = {"Given": _given(summary), "Chosen": _chosen(summary), "Found": _found(summary)}
    blocks = [
        element(
            "div",
            element("h3", title),
            element("dl", [[element("dt", name), element("dd", value)] for name, value in lines]),
        )
        for title, lines in lists.items()
    ]
    return Html("".join(blocks) + element("p", _why(summary), class_="why"))


def _given(summary: dict[str, Any]) -> Facts:
    data, prior = summary["data"], summary["prior"]
    n_samples, n_labelled = data["n_samples"], data["n_labelled"]
    lines = [
        ("Samples", grouped(n_samples)),
        (
            "Labelled positive",
            f"{grouped(n_labelled)} ({percent(n_labelled / n_samples)}), marked {data['positive']}",
        ),
        ("Unlabelled", f"{grouped(n_samples - n_labelled)}, marked {data['unlabelled']}"),
        ("Columns", _columns(data)),
    ]
    if prior["is_given"]:
        return [*lines, ("Prior", f"{percent(prior['value'])}, given")]
    low, high = prior["interval"]
    return [
        *lines,
        ("Prior", f"about {percent(prior['value'])}, estimated ({prior['method']})"),
        (
            "Its interval",
            f"{percent(low)} to {percent(high)}",
        ),
    ]


def _chosen(summary: dict[str, Any]) -> Facts:
    graph, partition = summary["graph"], summary["partition"]
    n_edges = count(graph["n_edges"], "edge", "edges")
    if partition is None:
        lines = [("Method", summary["method"])]
        for kind, title in (("score", "Scores"), ("cut", "Cuts, or none")):
            tried = [line for line in summary["selection"] if line["kind"] == kind]
            n_used = sum(line["weight"] > 0.0 for line in tried)
            lines.append((title, f"{n_used} of {len(tried)} tried have weight"))
        if graph["weight"] is None:
            return [*lines, ("Cut with most weight", "none: no graph was better than the scores")]
        heaviest = f"{graph['name']} ({percent(graph['weight'])})"
        return [*lines, ("Cut with most weight", heaviest), ("Its graph", n_edges)]
    return [
        ("Method", summary["method"]),
        ("Graph", f"{_neighbors(graph)}{n_edges}"),
        ("Similarity", _similarity(graph)),
        ("Stage", str(partition["stage"])),
        ("Tradeoff λ", significant(partition["lam"], 4)),
        ("Likely negatives", f"{grouped(partition['n_likely_negative'])} held as such in stage 2"),
    ]


def _found(summary: dict[str, Any]) -> Facts:
    data, n_positive = summary["data"], summary["n_positive"]
    share = n_positive / data["n_samples"]
    lines = [
        ("Positive", f"{grouped(n_positive)} ({percent(share)})"),
        ("Of the unlabelled", grouped(n_positive - data["n_labelled"])),
        ("Negative", f"{grouped(data['n_samples'] - n_positive)} ({percent(1.0 - share)})"),
    ]
    mixture = [line for line in summary["selection"] or () if line["kind"] == "mixture"]
    if mixture and mixture[0]["hidden_recall"] is not None:
        recall, error = mixture[0]["hidden_recall"], mixture[0]["standard_error"]
        lines.append(("Hidden positives found", f"{percent(recall)} ± {percent(error)}"))
    if summary["partition"] is not None:
        lines.append(("Not reached by a label", grouped(summary["partition"]["n_unreached"])))
    return lines


def _columns(data: dict[str, Any]) -> str:
    if data["is_pairwise"]:
        return "none: similarities or distances were given"
    if data["n_encoded"] == data["n_columns"]:
        return grouped(data["n_columns"])
    return f"{grouped(data['n_columns'])}, as {grouped(data['n_encoded'])} features"


def _neighbors(graph: dict[str, Any]) -> str:
    if graph["n_neighbors"] is None or graph["similarity"] == "precomputed":
        return ""
    return f"{count(graph['n_neighbors'], 'neighbour', 'neighbours')} per sample, "


def _similarity(graph: dict[str, Any]) -> str:
    if graph["similarity"] == "gaussian" and graph["sigma"] is not None:
        return f"Gaussian of weighted distances, σ = {significant(graph['sigma'])}"
    return {"forest": "leaves shared in trees", "precomputed": "given"}.get(
        graph["similarity"], str(graph["similarity"])
    )


def _why(summary: dict[str, Any]) -> str:
    prior, graph = percent(summary["prior"]["value"]), summary["graph"]
    if summary["partition"] is None:
        return (
            "Several learners scored every sample, and minimum cuts smoothed the scores along "
            "several graphs of neighbours. All of them were mixed by how many of the labelled "
            "samples they found that were hidden from everything. The samples that rank highest "
            f"are classified as positive, until their share is the prior, {prior}."
        )
    text = (
        "Of all partitions of both stages, the one was chosen whose share of positives is closest "
        f"to the prior, {prior}."
    )
    if graph["n_neighbors"] is not None and graph["similarity"] != "precomputed":
        text += (
            " Where several numbers of neighbours were allowed, the largest was chosen whose "
            "partition is within two percentage points of the prior, else the closest."
        )
    return text
