"""The section "How the method decided: the mathematics", folded: most readers need it once.

Keys of the summary::

    partition             2-HNC: stage, step (its place in that stage), lam, n_likely_negative,
                          n_unreached
    stages                2-HNC: two dicts: stage; lam and n_positive of each step at which a row
                          of the page turns, by rising lambda; turn of each row: the last step at
                          which it is positive (stage 1; -1 for rows that never are) or the first
                          (stage 2; the number of steps for these); duality_gap
    selection             pucut: for each score and cut that was tried, and last for the mixture of
                          them, its name, kind ("score", "cut" or "mixture"), hidden_recall and
                          standard_error (null if nothing could be hidden), weight, why
    settings              parameters of the estimator, as texts
    seconds               steps of fit
"""

import dataclasses
from typing import Any

from pucut._support.html import Html, element, html_table
from pucut.report.fit import ReportedFit
from pucut.report.markup import bar, filled, scrolled_table
from pucut.report.methods import PUCUT, TWO_HNC
from pucut.report.packing import as_json
from pucut.report.plane import map_figure
from pucut.report.steps import steps_of_stages
from pucut.report.wording import count, grouped, percent, shortened, significant

PLURALS = {
    "number": "numbers",
    "category": "categories",
    "date": "dates",
    "text": "texts",
    "flag": "flags",
}
# Names and values.
Lines = list[tuple[str, str]]


def facts(fit: ReportedFit) -> dict[str, Any]:
    estimator = fit.estimator
    partition, stages = _stages(fit)
    selection = None
    if fit.method == PUCUT:
        selection = [
            {key: as_json(value) for key, value in dataclasses.asdict(candidate).items()}
            for candidate in estimator.selection_
        ]
    parameters = estimator.get_params(deep=False)
    seconds = getattr(estimator, "step_seconds_", {})
    return {
        "partition": partition,
        "stages": stages,
        "selection": selection,
        "settings": {name: shortened(repr(value)) for name, value in parameters.items()},
        "seconds": {name: float(value) for name, value in seconds.items()},
    }


def _stages(fit: ReportedFit) -> tuple[Any, Any]:
    """Return the partition, and the steps of both stages at which rows of the page turn."""
    if fit.method != TWO_HNC:
        return None, None
    estimator, chosen = fit.estimator, fit.estimator.partition_
    whole = steps_of_stages(estimator)
    step = whole[chosen.stage - 1].step_of(fit.is_positive)
    stages = [
        steps.of_rows(fit.listed.rows, step if steps.stage == chosen.stage else None)
        for steps in whole
    ]
    n_positive = whole[chosen.stage - 1].n_positive[step]
    place = stages[chosen.stage - 1].n_positive.tolist().index(n_positive)
    return {
        "stage": chosen.stage,
        "step": place,
        "lam": float(chosen.lam),
        "n_likely_negative": len(estimator.likely_negative_),
        "n_unreached": int(estimator.n_unreached_),
    }, [steps.facts() for steps in stages]


def render(summary: dict[str, Any]) -> Html:
    prior, settings = summary["prior"]["text"], summary["settings"].items()
    seconds = [(name, f"{value:.2f} s") for name, value in summary["seconds"].items()]
    steps = html_table("Steps of fit", ("Step", "Time"), seconds, class_="plain")
    return filled(
        "mathematics.html",
        given=_list(_given(summary)),
        chosen=_list(_chosen(summary)),
        rule=_rule(summary),
        prior=element("p", prior, class_="lead") if prior else None,
        selection=None if summary["selection"] is None else _selection(summary),
        cuts=None if summary["stages"] is None else _cuts(summary),
        steps=steps if seconds else None,
        parameters=html_table("Parameters", ("Name", "Value"), settings, class_="plain"),
    )


def _list(lines: Lines) -> Html:
    return element("dl", [[element("dt", name), element("dd", value)] for name, value in lines])


def _given(summary: dict[str, Any]) -> Lines:
    data, prior = summary["data"], summary["prior"]
    n_samples, n_labelled = data["n_samples"], data["n_labelled"]
    known = f"{grouped(n_labelled)} ({percent(n_labelled / n_samples)}), marked {data['positive']}"
    lines = [("Table", data["source"])] if data["source"] else []
    lines += [("Rows", grouped(n_samples)), ("Known positives", known)]
    if data["n_negative"]:
        lines.append(("Known negatives", grouped(data["n_negative"])))
    lines.append(("Unlabelled", grouped(data["n_unlabelled"])))
    lines.append(("Columns", _columns(data, summary["kinds"])))
    if prior["is_given"]:
        return [*lines, ("Prior", f"{percent(prior['value'])}, given")]
    low, high = prior["interval"]
    return [
        *lines,
        ("Prior", f"about {percent(prior['value'])}, estimated ({prior['method']})"),
        ("Its interval", f"{percent(low)} to {percent(high)}"),
    ]


def _columns(data: dict[str, Any], kinds: dict[str, int]) -> str:
    if data["is_pairwise"]:
        return "none: similarities or distances were given"
    if data["n_columns"] is None:
        return "read by the classifier itself"
    if not kinds:
        return grouped(data["n_columns"])
    named = ", ".join(count(n, kind, PLURALS.get(kind, kind)) for kind, n in kinds.items())
    if data["n_encoded"] == data["n_columns"]:
        return named
    return f"{named}; as {grouped(data['n_encoded'])} features"


def _chosen(summary: dict[str, Any]) -> Lines:
    graph, partition = summary["graph"], summary["partition"]
    lines = [("Name", summary["method"])]
    if summary["selection"] is not None:
        for kind, title in (("score", "Scores"), ("cut", "Cuts, or none")):
            tried = [line for line in summary["selection"] if line["kind"] == kind]
            n_used = sum(line["weight"] > 0.0 for line in tried)
            lines.append((title, f"{n_used} of {len(tried)} tried have weight"))
        if graph["weight"] is None:
            return [*lines, ("Cut with most weight", "none: no graph was better than the scores")]
        lines.append(("Cut with most weight", f"{graph['name']} ({percent(graph['weight'])})"))
    if graph is not None:
        lines.append(("Graph", f"{_neighbors(graph)}{count(graph['n_edges'], 'edge', 'edges')}"))
    if partition is not None:
        lines += [
            ("Similarity", _similarity(graph)),
            ("Stage", str(partition["stage"])),
            ("Tradeoff λ", significant(partition["lam"], 4)),
            ("Likely negatives", f"{grouped(partition['n_likely_negative'])} held in stage 2"),
        ]
    return lines


def _is_searched(graph: dict[str, Any]) -> bool:
    """Tell whether the graph is one of so many neighbours, and was not passed by the user."""
    return graph["n_neighbors"] is not None and graph["similarity"] != "precomputed"


def _neighbors(graph: dict[str, Any]) -> str:
    if not _is_searched(graph):
        return ""
    return f"{count(graph['n_neighbors'], 'neighbour', 'neighbours')} per row, "


def _similarity(graph: dict[str, Any]) -> str:
    if graph["similarity"] == "gaussian" and graph["sigma"] is not None:
        return f"Gaussian of weighted distances, σ = {significant(graph['sigma'])}"
    return {"forest": "leaves shared in trees", "precomputed": "given"}.get(
        graph["similarity"], str(graph["similarity"])
    )


def _rule(summary: dict[str, Any]) -> str:
    """Say how scores or partitions became classes."""
    prior = percent(summary["prior"]["value"])
    if not summary["is_by_prior"]:
        return "Rows with a score above the method's own threshold are classified as positive."
    if summary["partition"] is None:
        return (
            "The rows that rank highest are classified as positive, until their share is the "
            f"prior, {prior}."
        )
    text = (
        "Of all partitions of both stages, the one was chosen whose share of positives is closest "
        f"to the prior, {prior}."
    )
    if _is_searched(summary["graph"]):
        text += (
            " Where several numbers of neighbours were allowed, the largest was chosen whose "
            "partition is within two percentage points of the prior, else the closest."
        )
    return text


def _selection(summary: dict[str, Any]) -> Html:
    """Show every score and cut that the chooser tried."""
    tried = summary["selection"]
    verdict = "A single label cannot be hidden, so nothing is known about how good the mixture is."
    if summary["hidden"] is not None:
        recall = _recall(next(line for line in tried if line["kind"] == "mixture"))
        verdict = f"The mixture of all of them found {recall} of the positives that were hidden."
    return filled(
        "selection.html",
        method=summary["method"],
        verdict=verdict,
        score=_heaviest(tried, "score"),
        cut=_heaviest(tried, "cut"),
        scores=_tried("Scores, of each row by itself", tried, "score"),
        cuts=_tried("Cuts along graphs of neighbours, or none", tried, "cut"),
    )


def _heaviest(tried: list[dict[str, Any]], kind: str) -> str:
    heaviest = max((line for line in tried if line["kind"] == kind), key=lambda x: x["weight"])
    return f"“{heaviest['name']}” ({percent(heaviest['weight'])})"


def _recall(line: dict[str, Any]) -> str:
    if line["hidden_recall"] is None:
        return "not known"
    return f"{percent(line['hidden_recall'])} ± {percent(line['standard_error'])}"


def _tried(title: str, tried: list[dict[str, Any]], kind: str) -> Html:
    own = [line for line in tried if line["kind"] == kind]
    own.sort(key=lambda line: (-line["weight"], -(line["hidden_recall"] or 0)))
    lines = [
        (
            line["name"],
            _recall(line),
            bar(line["weight"] / own[0]["weight"], percent(line["weight"])),
            line["why"],
        )
        for line in own
    ]
    heads = ("Tried", "Hidden positives found", "Weight", "Why")
    return scrolled_table(title, heads, lines, "tried")


def _cuts(summary: dict[str, Any]) -> Html:
    """Show all cuts of both stages, by a slider, and the proof that they are optimal."""
    gap = max(stage["duality_gap"] for stage in summary["stages"])
    picture = map_figure(summary, "cut-map", "The sides of this cut", turning=True)
    return filled("cuts.html", map=picture, gap=significant(gap, 2))
