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

import numpy as np
import numpy.typing as npt

from pucut._support.checks import BoolArray, FloatArray
from pucut._support.html import Html, element, html_table
from pucut.cuts.parametric_cut import CutPath
from pucut.cuts.two_stages import Partition
from pucut.graphs.neighbors.equal_rows import RowNumbers
from pucut.report.fit import PUCUT, TWO_HNC, ReportedFit
from pucut.report.markup import bar, filled, scrolled_table
from pucut.report.plane import map_figure
from pucut.report.values import as_json, count, grouped, packed, percent, sentence, shortened

PLURALS = {one: f"{one}s" for one in ("number", "date", "text", "flag")}
PLURALS["category"] = "categories"


def facts(fit: ReportedFit) -> dict[str, Any]:
    estimator, is_two_hnc, is_pucut = fit.estimator, fit.method == TWO_HNC, fit.method == PUCUT
    partition, stages = _stages(fit) if is_two_hnc else (None, None)
    tried = [dataclasses.asdict(each) for each in estimator.selection_] if is_pucut else []
    parameters = estimator.get_params(deep=False)
    seconds = getattr(estimator, "step_seconds_", {})
    return {
        "partition": partition,
        "stages": stages,
        "selection": [{key: as_json(line[key]) for key in line} for line in tried] or None,
        "settings": {name: shortened(repr(value)) for name, value in parameters.items()},
        "seconds": {name: float(value) for name, value in seconds.items()},
    }


def _stages(fit: ReportedFit) -> tuple[Any, Any]:
    """Return the partition, and the steps of both stages at which rows of the page turn."""
    estimator, chosen = fit.estimator, fit.estimator.partition_
    joins = np.maximum(estimator.stage2_.switch, estimator.stage2_.lambda_range[0])
    whole = (
        _steps_of(estimator.stage1_, 1, _changes_of_stage_1(estimator.stage1_, chosen)),
        _steps_of(estimator.stage2_, 2, joins),
    )
    step = whole[chosen.stage - 1].step_of(fit.is_positive)
    stages = [
        steps.of_rows(fit.listed.rows, step if steps.stage == chosen.stage else None)
        for steps in whole
    ]
    n_positive = whole[chosen.stage - 1].n_positive[step]
    return {
        "stage": chosen.stage,
        "step": stages[chosen.stage - 1].n_positive.tolist().index(n_positive),
        "lam": float(chosen.lam),
        "n_likely_negative": len(estimator.likely_negative_),
        "n_unreached": int(estimator.n_unreached_),
    }, [_steps(steps) for steps in stages]


@dataclasses.dataclass(frozen=True, eq=False)
class StageSteps:
    """The nested partitions of a stage of 2-HNC, each of them exact, by rising lambda.

    Lambdas are only shown; whole numbers decide which rows are positive at a step.
    """

    stage: int  # 1: rows leave S as lambda rises; 2: they join it
    lam: FloatArray  # of shape (n_steps,)
    n_positive: RowNumbers  # the number of rows in S at each step
    # One number per row. In stage 1 the last step at which the row is in S, -1 if there is none;
    # in stage 2 the first, n_steps if there is none.
    turn: RowNumbers
    duality_gap: float

    def step_of(self, is_positive: BoolArray) -> int:
        """Return the step that is the given partition."""
        n_positive = np.count_nonzero(is_positive)
        for step in np.flatnonzero(self.n_positive == n_positive):  # at most one: sets are nested
            inside = self.turn >= step if self.stage == 1 else self.turn <= step
            if np.array_equal(inside, is_positive):
                return int(step)
        raise ValueError(
            f"transduction_ has {n_positive} positives, but it is not a partition of stage "
            f"{self.stage}: it must be as fit left it"
        )

    def of_rows(self, rows: npt.NDArray[np.intp], also: int | None) -> "StageSteps":
        """Keep the steps at which one of these rows turns, and the step `also`.

        At each step that is kept, the same of these rows are in S.
        """
        n_steps = len(self.lam)
        turning = self.turn[rows]
        turning = turning[(turning >= 0) & (turning < n_steps)]
        kept = np.union1d(turning, [0, n_steps - 1] if also is None else [0, also, n_steps - 1])
        if self.stage == 1:  # the last kept step up to the row's
            turn = np.searchsorted(kept, self.turn[rows], side="right") - 1
        else:  # the first kept step from the row's on
            turn = np.searchsorted(kept, self.turn[rows], side="left")
        return dataclasses.replace(
            self, lam=self.lam[kept], n_positive=self.n_positive[kept], turn=turn.astype(np.int32)
        )


def _changes_of_stage_1(path: CutPath, partition: Partition) -> FloatArray:
    leaves = np.minimum(path.switch, path.lambda_range[1])
    # Rows that no label reaches leave all at once, unless the estimator has put them in an order.
    is_ordered = partition.stage == 1 and np.array_equal(np.maximum(partition.level, 0.0), leaves)
    return partition.level if is_ordered else leaves


def _steps_of(path: CutPath, stage: int, changes: FloatArray) -> StageSteps:
    """Return the steps of a stage from the lambda at which each row changes side."""
    levels, rising = np.unique(changes[np.isfinite(changes)]), np.sort(changes)
    turn = np.where(changes == -np.inf, -1, np.searchsorted(levels, changes)).astype(np.int32)
    sizes = np.searchsorted(rising, levels, side="right")
    if stage == 1:
        sizes = len(changes) - np.searchsorted(rising, levels, side="left")
    lams = np.maximum(levels, path.lambda_range[0])
    return StageSteps(stage, lams, sizes.astype(np.int32), turn, float(path.duality_gap))


def _steps(steps: StageSteps) -> dict[str, Any]:
    return {
        "stage": steps.stage,
        "lam": packed(steps.lam, "float64"),
        "n_positive": packed(steps.n_positive, "int32"),
        "turn": packed(steps.turn, "int32"),
        "duality_gap": steps.duality_gap,
    }


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


def _list(lines: dict[str, str | None]) -> Html:
    """Write names and their values; those without a value are left out."""
    shown = [(name, value) for name, value in lines.items() if value is not None]
    return element("dl", [[element("dt", name), element("dd", value)] for name, value in shown])


def _given(summary: dict[str, Any]) -> dict[str, str | None]:
    data, prior = summary["data"], summary["prior"]
    n_labelled, n_negative = data["n_labelled"], data["n_negative"]
    share, value = percent(n_labelled / data["n_samples"]), percent(prior["value"])
    about = f"about {value}, estimated ({prior['method']})"
    return {
        "Table": data["source"] or None,
        "Rows": grouped(data["n_samples"]),
        "Known positives": f"{grouped(n_labelled)} ({share}), marked {data['positive']}",
        "Known negatives": grouped(n_negative) if n_negative else None,
        "Unlabelled": grouped(data["n_unlabelled"]),
        "Columns": _columns(data, summary["kinds"]),
        "Prior": f"{value}, given" if prior["is_given"] else about,
        "Its interval": None if prior["is_given"] else " to ".join(map(percent, prior["interval"])),
    }


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


def _chosen(summary: dict[str, Any]) -> dict[str, str | None]:
    graph, partition = summary["graph"], summary["partition"]
    lines: dict[str, str | None] = {"Name": summary["method"]}
    if summary["selection"] is not None:
        for kind, title in (("score", "Scores"), ("cut", "Cuts, or none")):
            tried = [line for line in summary["selection"] if line["kind"] == kind]
            n_used = sum(line["weight"] > 0.0 for line in tried)
            lines[title] = f"{n_used} of {len(tried)} tried have weight"
        heaviest = "none: no graph was better than the scores"
        if graph["weight"] is not None:
            heaviest = f"{graph['name']} ({percent(graph['weight'])})"
        lines["Cut with most weight"] = heaviest
    if graph is not None and (summary["selection"] is None or graph["weight"] is not None):
        edges = count(graph["n_edges"], "edge", "edges")
        per_row = f"{count(graph['n_neighbors'] or 0, 'neighbour', 'neighbours')} per row, "
        lines["Graph"] = per_row + edges if _is_searched(graph) else edges
    if partition is not None:
        lines["Similarity"] = _similarity(graph)
        lines["Stage"] = str(partition["stage"])
        lines["Tradeoff λ"] = f"{partition['lam']:.4g}"
        lines["Likely negatives"] = f"{grouped(partition['n_likely_negative'])} held in stage 2"
    return lines


def _is_searched(graph: dict[str, Any]) -> bool:
    """Tell whether the graph is one of so many neighbours, and was not passed by the user."""
    return graph["n_neighbors"] is not None and graph["similarity"] != "precomputed"


def _similarity(graph: dict[str, Any]) -> str:
    if graph["similarity"] == "gaussian" and graph["sigma"] is not None:
        return f"Gaussian of weighted distances, σ = {graph['sigma']:.3g}"
    names = {"forest": "leaves shared in trees", "precomputed": "given"}
    return names.get(graph["similarity"], str(graph["similarity"]))


def _rule(summary: dict[str, Any]) -> str:
    """Say how scores or partitions became classes."""
    if not summary["is_by_prior"]:
        return "Rows with a score above the method's own threshold are classified as positive."
    prior = summary["prior"]["value"]
    if summary["partition"] is None:
        return sentence("rule_of_ranking", prior=prior)
    text = sentence("rule_of_partitions", prior=prior)
    return f"{text} {sentence('rule_of_sizes')}" if _is_searched(summary["graph"]) else text


def _selection(summary: dict[str, Any]) -> Html:
    """Show every score and cut that the chooser tried."""
    tried = {
        kind: [line for line in summary["selection"] if line["kind"] == kind]
        for kind in ("score", "cut", "mixture")
    }
    verdict = "A single label cannot be hidden, so nothing is known about how good the mixture is."
    if summary["hidden"] is not None:
        recall = _recall(tried["mixture"][0])
        verdict = f"The mixture of all of them found {recall} of the positives that were hidden."
    return filled(
        "selection.html",
        method=summary["method"],
        verdict=verdict,
        score=_heaviest(tried["score"]),
        cut=_heaviest(tried["cut"]),
        scores=_tried("Scores, of each row by itself", tried["score"]),
        cuts=_tried("Cuts along graphs of neighbours, or none", tried["cut"]),
    )


def _heaviest(tried: list[dict[str, Any]]) -> str:
    heaviest = max(tried, key=lambda line: line["weight"])
    return f"“{heaviest['name']}” ({percent(heaviest['weight'])})"


def _recall(line: dict[str, Any]) -> str:
    if line["hidden_recall"] is None:
        return "not known"
    return f"{percent(line['hidden_recall'])} ± {percent(line['standard_error'])}"


def _tried(title: str, tried: list[dict[str, Any]]) -> Html:
    tried = sorted(tried, key=lambda line: (-line["weight"], -(line["hidden_recall"] or 0)))
    largest = tried[0]["weight"]
    lines = []
    for line in tried:
        weight = bar(line["weight"] / largest, percent(line["weight"]))
        lines.append((line["name"], _recall(line), weight, line["why"]))
    heads = ("Tried", "Hidden positives found", "Weight", "Why")
    return scrolled_table(title, heads, lines, "tried")


def _cuts(summary: dict[str, Any]) -> Html:
    """Show all cuts of both stages, by a slider, and the proof that they are optimal."""
    gap = max(stage["duality_gap"] for stage in summary["stages"])
    picture = map_figure(summary, "cut-map", "The sides of this cut", turning=True)
    return filled("cuts.html", map=picture, gap=f"{gap:.2g}")
