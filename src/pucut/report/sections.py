"""Further parts of the page that are text and tables: they read the same without its script."""

from typing import Any

import numpy as np

from pucut._support.html import Html, element, html_table
from pucut.report.numbers import NARROW_SPACE, count, grouped, percent, significant
from pucut.report.packing import unpacked

MOST_BARS = 24
N_PROBABILITY_BINS = 10


def selection(summary: dict[str, Any]) -> Html:
    """Everything the chooser tried, and what it was worth; nothing for the other method."""
    tried = summary["selection"]
    if tried is None:
        return Html("")
    mixture = next(line for line in tried if line["kind"] == "mixture")
    titles = {
        "score": "Scores, of each sample by itself",
        "cut": "Cuts along graphs of neighbours, or none",
    }
    return element(
        "section",
        element("h2", f"What {summary['method']} tried, and what it found", id="tried-title"),
        element(
            "p",
            "Some labelled samples were hidden from everything, and every score and cut had to "
            "find them again among as many samples as the prior allows. The more it found, the "
            "more weight it has in the mixture that ranks the samples. The scores are mixed first; "
            "the cuts then smooth the mixed score along graphs of nearest neighbours, less so the "
            "larger gamma is.",
            class_="lead",
        ),
        element("p", verdict(mixture), class_="lead"),
        element("p", _mainly(tried), class_="lead"),
        [
            _scrolled(title, _tried(title, [line for line in tried if line["kind"] == kind]))
            for kind, title in titles.items()
        ],
        aria_labelledby="tried-title",
    )


def verdict(mixture: dict[str, Any]) -> str:
    """How good the mixture is, from the line of the selection that says so."""
    if mixture["hidden_recall"] is None:
        return "A single label cannot be hidden, so nothing is known about how good the mixture is."
    return (
        f"The mixture found {_recall(mixture)} of the positives that were hidden from it. About as "
        "many of the positives among the unlabelled samples should be classified as positive, if "
        "the prior is right."
    )


def _mainly(tried: list[dict[str, Any]]) -> str:
    """The heaviest of both kinds, in a sentence each."""
    scores, cuts = (_heaviest(tried, kind) for kind in ("score", "cut"))
    return f"Most weight among the scores has {scores}; among the cuts, {cuts}."


def _heaviest(tried: list[dict[str, Any]], kind: str) -> str:
    heaviest = max((line for line in tried if line["kind"] == kind), key=lambda x: x["weight"])
    return f"“{heaviest['name']}” ({percent(heaviest['weight'])})"


def _recall(line: dict[str, Any]) -> str:
    if line["hidden_recall"] is None:
        return "not known"
    return f"{percent(line['hidden_recall'])} ± {percent(line['standard_error'])}"


def _tried(title: str, tried: list[dict[str, Any]]) -> Html:
    heaviest = max(line["weight"] for line in tried)
    lines = [
        (
            line["name"],
            _recall(line),
            _bar(line["weight"] / heaviest, percent(line["weight"])),
            line["why"],
        )
        for line in sorted(tried, key=lambda line: (-line["weight"], -(line["hidden_recall"] or 0)))
    ]
    heads = ("Tried", "Hidden positives found", "Weight", "Why")
    return html_table(title, heads, lines, class_="tried")


def _scrolled(title: str, table: Html) -> Html:
    """A table that may be wider than the page."""
    return element("div", table, class_="scroll", role="region", tabindex="0", aria_label=title)


def map_caption(summary: dict[str, Any]) -> str:
    plane, n_samples = summary["plane"], summary["data"]["n_samples"]
    drawn = (
        f"All {grouped(n_samples)} samples are drawn"
        if plane["n_drawn"] == n_samples
        else f"{grouped(plane['n_drawn'])} of {grouped(n_samples)} drawn, picked at random"
    )
    of = "similarities" if summary["data"]["is_pairwise"] else "weighted features"
    text = (
        f"{drawn}, at the two principal components of the {of}, which hold "
        f"{percent(plane['explained'])} of the variance: what is near in the data may be far apart "
        "here, and the reverse."
    )
    if plane["n_beyond"]:
        text += f" {count(plane['n_beyond'], 'outlier is', 'outliers are')} moved to the edge."
    return text


def probabilities(summary: dict[str, Any]) -> Html:
    """How many unlabelled samples have a probability of a size."""
    rows = summary["rows"]
    is_labelled = unpacked(rows["is_labelled"]) == 1
    counts, _ = np.histogram(
        unpacked(rows["probability"])[~is_labelled], bins=N_PROBABILITY_BINS, range=(0.0, 1.0)
    )
    step, largest = 100 // N_PROBABILITY_BINS, max(int(counts.max()), 1)
    lines = [
        (
            f"{step * place} to {step * (place + 1)}{NARROW_SPACE}%",
            _bar(int(n) / largest, grouped(int(n))),
        )
        for place, n in enumerate(counts)
    ]
    heads = ("Probability of being positive", "Samples")
    return html_table("Unlabelled samples by probability", heads, lines[::-1], class_="bars")


def weights(summary: dict[str, Any]) -> Html:
    every = summary["weights"]
    if not every:
        return Html("")
    title = element("h2", "How much each column counts", id="weights-title")
    if every[0]["weight"] == every[-1]["weight"]:
        same = f"{count(len(every), 'column counts', 'columns all count')} the same."
        lead = element("p", same, class_="lead")
        return element("section", title, lead, aria_labelledby="weights-title")
    shown, rest = every[:MOST_BARS], every[MOST_BARS:]
    largest, total = every[0]["weight"], sum(line["weight"] for line in every)
    lines = [
        (line["name"], _bar(line["weight"] / largest, percent(line["weight"] / total)))
        for line in shown
    ]
    more = None
    if rest:
        share = sum(line["weight"] for line in rest) / total
        others = count(len(rest), "other column has", "other columns together have")
        more = element("p", f"{others} {percent(share)} of the weight.", class_="note")
    return element(
        "section",
        title,
        element(
            "p",
            _weights_lead(summary),
            class_="lead",
        ),
        html_table("Columns by weight", ("Column", "Share of the weight"), lines, class_="bars"),
        more,
        aria_labelledby="weights-title",
    )


def _weights_lead(summary: dict[str, Any]) -> str:
    text = "The weight of each column: how much a difference in it counts in a distance"
    if summary["space"] is None:
        return f"{text} between samples."
    return f"{text} in the space that the tables call “{summary['space']}”."


def _bar(share: float, text: str) -> Html:
    """A bar of this share of its place, and what it stands for."""
    bar = element("rect", width=f"{100.0 * share:.2f}", height="10")
    drawn = element(
        "svg",
        bar,
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        class_="bar",
        aria_hidden="true",
    )
    return element("div", drawn, element("span", text), class_="measure")


def sensitivity(summary: dict[str, Any]) -> Html:
    lines = []
    for place, line in enumerate(summary["sensitivity"]):
        sign = "+" if line["move"] > 0 else "−"
        move = f"{sign}{abs(100 * line['move']):.0f} points"
        if not line["is_possible"]:
            lines.append((move, percent(line["prior"]), "not possible with these labels", "", ""))
            continue
        n_changed = line["n_to_positive"] + line["n_to_negative"]
        button = element(
            "button",
            "List them",
            type="button",
            class_="quiet scripted",
            data_filter=f"move-{place}",
            aria_label=f"List the samples that change at {move}",
            disabled=n_changed == 0,
        )
        cells = (grouped(line["n_to_positive"]), grouped(line["n_to_negative"]), button)
        lines.append((move, percent(line["prior"]), *cells))
    title = "Samples that change with the prior"
    heads = ("Prior moved by", "to", "become positive", "become negative", "Which")
    return element(
        "section",
        element("h2", "If the prior were different", id="prior-title"),
        element(
            "p",
            "How many samples would change class. The ranking is kept and cut at another place; "
            "nothing is fitted again, so a new fit may differ a little.",
            class_="lead",
        ),
        _scrolled(title, html_table(title, heads, lines, class_="plain moves")),
        aria_labelledby="prior-title",
    )


def unreached(summary: dict[str, Any]) -> Html:
    partition = summary["partition"]
    if partition is None or not partition["n_unreached"]:
        return Html("")
    button = element(
        "button", "List them", type="button", class_="quiet scripted", data_filter="unreached"
    )
    return element(
        "section",
        element("h2", "Samples that no label reaches", id="unreached-title"),
        element(
            "p",
            f"{count(partition['n_unreached'], 'sample lies', 'samples lie')} in parts of the "
            "graph without any labelled sample. The cut cannot place them. They are ranked as the "
            "most likely negatives, those farthest from the labelled ones first, and the prior "
            "alone decides how many of them are positive. More neighbours, or a label among them, "
            "would reach them. ",
            button,
            class_="lead",
        ),
        aria_labelledby="unreached-title",
    )


def making(summary: dict[str, Any]) -> Html:
    seconds = [(name, f"{value:.2f} s") for name, value in summary["seconds"].items()]
    prior = summary["prior"]["text"]
    return element(
        "section",
        element("h2", "How this was made", id="making-title"),
        element("p", prior, class_="lead") if prior else None,
        _proof(summary),
        element(
            "details",
            element("summary", "Settings and times"),
            element(
                "div",
                html_table("Steps of fit", ("Step", "Time"), seconds, class_="plain"),
                html_table(
                    "Parameters", ("Name", "Value"), summary["settings"].items(), class_="plain"
                ),
                class_="tables",
            ),
        ),
        aria_labelledby="making-title",
    )


def _proof(summary: dict[str, Any]) -> Html | None:
    if summary["stages"] is None:
        return None
    gaps = max(stage["duality_gap"] for stage in summary["stages"])
    return element(
        "p",
        "All cuts of both stages were solved exactly; their largest relative duality gap is "
        f"{significant(gaps, 2)}, where 0 is a proof of optimality.",
        class_="lead",
    )


def footer(summary: dict[str, Any]) -> str:
    source = "" if summary["partition"] is None else " 2-HNC: Hochbaum and Nitayanont."
    return (
        f"Made by pucut {summary['version']}. This file holds all of its data; nothing is fetched "
        f"from anywhere.{source}"
    )
