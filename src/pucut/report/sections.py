"""Further parts of the page that are text and tables: they read the same without its script."""

from collections.abc import Sequence
from typing import Any

from pucut._support.html import Html, element, html_table
from pucut.report.charts import bar
from pucut.report.numbers import count, grouped, percent, significant

PLURALS = {
    "number": "numbers",
    "category": "categories",
    "date": "dates",
    "text": "texts",
    "flag": "flags",
}
Facts = Sequence[tuple[str, str]]


def facts(summary: dict[str, Any]) -> Html:
    """What was given and what the method chose, as lists."""
    lists = {"Given": _given(summary), "Method": _chosen(summary)}
    blocks = [
        element(
            "div",
            element("h3", title),
            element("dl", [[element("dt", name), element("dd", value)] for name, value in lines]),
        )
        for title, lines in lists.items()
    ]
    return element("div", blocks, class_="facts")


def _given(summary: dict[str, Any]) -> Facts:
    data, prior = summary["data"], summary["prior"]
    n_samples, n_labelled = data["n_samples"], data["n_labelled"]
    lines = [
        *([("Table", data["source"])] if data["source"] else []),
        ("Rows", grouped(n_samples)),
        (
            "Known positives",
            f"{grouped(n_labelled)} ({percent(n_labelled / n_samples)}), marked {data['positive']}",
        ),
        *([("Known negatives", grouped(data["n_negative"]))] if data["n_negative"] else []),
        ("Unlabelled", grouped(data["n_unlabelled"])),
        ("Columns", _columns(data, summary["kinds"])),
    ]
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


def _chosen(summary: dict[str, Any]) -> Facts:
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


def _neighbors(graph: dict[str, Any]) -> str:
    if graph["n_neighbors"] is None or graph["similarity"] == "precomputed":
        return ""
    return f"{count(graph['n_neighbors'], 'neighbour', 'neighbours')} per row, "


def _similarity(graph: dict[str, Any]) -> str:
    if graph["similarity"] == "gaussian" and graph["sigma"] is not None:
        return f"Gaussian of weighted distances, σ = {significant(graph['sigma'])}"
    return {"forest": "leaves shared in trees", "precomputed": "given"}.get(
        graph["similarity"], str(graph["similarity"])
    )


def selection(summary: dict[str, Any]) -> Html:
    """Everything the chooser tried, and what it was worth; nothing for other methods."""
    tried = summary["selection"]
    if tried is None:
        return Html("")
    titles = {
        "score": "Scores, of each row by itself",
        "cut": "Cuts along graphs of neighbours, or none",
    }
    return element(
        "div",
        element("h3", f"What {summary['method']} tried, and what it found"),
        element(
            "p",
            "Some known rows were hidden from everything, and every score and cut had to find them "
            "again among as many rows as the prior allows. The more it found, the more weight it "
            "has in the mixture that ranks the rows. The scores are mixed first; the cuts then "
            "smooth the mixed score along graphs of nearest neighbours, less so the larger gamma "
            "is.",
            class_="lead",
        ),
        element("p", _verdict(summary), class_="lead"),
        element("p", _mainly(tried), class_="lead"),
        [
            _scrolled(title, _tried(title, [line for line in tried if line["kind"] == kind]))
            for kind, title in titles.items()
        ],
    )


def _verdict(summary: dict[str, Any]) -> str:
    if summary["hidden"] is None:
        return "A single label cannot be hidden, so nothing is known about how good the mixture is."
    mixture = next(line for line in summary["selection"] if line["kind"] == "mixture")
    return f"The mixture of all of them found {_recall(mixture)} of the positives that were hidden."


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
            bar(line["weight"] / heaviest, percent(line["weight"])),
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
        f"All {grouped(n_samples)} rows are drawn"
        if plane["n_drawn"] == n_samples
        else f"{grouped(plane['n_drawn'])} of {grouped(n_samples)} drawn, picked at random"
    )
    of = "similarities" if summary["data"]["is_pairwise"] else "columns"
    of = "weighted columns" if summary["weights"] else of
    text = (
        f"{drawn}, at the two principal components of the {of}, which hold "
        f"{percent(plane['explained'])} of the variance: what is near in the data may be far apart "
        "here, and the reverse."
    )
    if plane["n_beyond"]:
        text += f" {count(plane['n_beyond'], 'outlier is', 'outliers are')} moved to the edge."
    return text


def sensitivity(summary: dict[str, Any]) -> Html:
    """What other priors would change; nothing where the prior does not set the threshold."""
    if not summary["sensitivity"]:
        return Html("")
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
            aria_label=f"List the rows that change at {move}",
            disabled=n_changed == 0,
        )
        cells = (grouped(line["n_to_positive"]), grouped(line["n_to_negative"]), button)
        lines.append((move, percent(line["prior"]), *cells))
    title = "Rows that change with the prior"
    heads = ("Prior moved by", "to", "become positive", "become negative", "Which")
    return element(
        "section",
        element("h2", "If the prior were different", id="prior-title"),
        element(
            "p",
            "How many rows would change class. The ranking is kept and cut at another place; "
            "nothing is fitted again, so a new fit may differ a little.",
            class_="lead",
        ),
        _scrolled(title, html_table(title, heads, lines, class_="plain moves")),
        aria_labelledby="prior-title",
    )


def mathematics(summary: dict[str, Any], cuts: Html) -> Html:
    """How the method decided, folded: most readers need it once."""
    prior = summary["prior"]["text"]
    seconds = [(name, f"{value:.2f} s") for name, value in summary["seconds"].items()]
    return element(
        "details",
        element("summary", element("h2", "How the method decided: the mathematics")),
        facts(summary),
        element("p", _rule(summary), class_="lead"),
        element("p", prior, class_="lead") if prior else None,
        selection(summary),
        cuts,
        _proof(summary),
        element(
            "div",
            html_table("Steps of fit", ("Step", "Time"), seconds, class_="plain")
            if seconds
            else None,
            html_table(
                "Parameters", ("Name", "Value"), summary["settings"].items(), class_="plain"
            ),
            class_="tables",
        ),
        class_="mathematics",
        id="mathematics",
    )


def _rule(summary: dict[str, Any]) -> str:
    """How scores or partitions became classes."""
    prior, graph = percent(summary["prior"]["value"]), summary["graph"]
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
    if graph["n_neighbors"] is not None and graph["similarity"] != "precomputed":
        text += (
            " Where several numbers of neighbours were allowed, the largest was chosen whose "
            "partition is within two percentage points of the prior, else the closest."
        )
    return text


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
