"""The parts of the page that are text and tables: they read the same without its script."""

from typing import Any

from pucut._support.html import Html, element, html_table
from pucut.report.numbers import count, grouped, percent, significant

MOST_BARS = 24


def headline(summary: dict[str, Any]) -> str:
    data, choice = summary["data"], summary["choice"]
    n_positive, n_samples = grouped(choice["n_positive"]), grouped(data["n_samples"])
    return f"{n_positive} of {n_samples} samples are taken for positive"


def standfirst(summary: dict[str, Any]) -> str:
    data, prior, choice = summary["data"], summary["prior"], summary["choice"]
    n_others = data["n_samples"] - data["n_labelled"]
    n_found = choice["n_positive"] - data["n_labelled"]
    share = percent(prior["value"])
    source = f"the given prior, {share}" if prior["is_given"] else f"an estimated {share} of all"
    if prior["is_upper_bound"]:
        source += ", which is an upper bound"
    found = (
        f"sit on the positive side of the cut whose share of positives comes closest to {source}"
    )
    if choice["selection"] is not None:
        found = f"rank highest and are taken for positive too, as many as {source} asks for"
    return (
        f"{count(data['n_labelled'], 'sample was', 'samples were')} known to be positive, and of "
        f"{count(n_others, 'other', 'others')} nothing was known. {grouped(n_found)} of these "
        f"{found}."
    )


def cautions(summary: dict[str, Any]) -> Html:
    texts = summary["cautions"]
    if not texts:
        return Html("")
    return element(
        "section",
        element("h2", "Mind before you read on", id="cautions-title"),
        element("ul", [element("li", text) for text in texts]),
        class_="cautions",
        aria_labelledby="cautions-title",
    )


def facts(summary: dict[str, Any]) -> Html:
    data, prior, choice = summary["data"], summary["prior"], summary["choice"]
    n_samples = data["n_samples"]
    given: list[tuple[str, Any]] = [
        ("Samples", grouped(n_samples)),
        (
            "Labelled positive",
            f"{grouped(data['n_labelled'])} ({percent(data['n_labelled'] / n_samples)}), "
            f"marked {data['positive']}",
        ),
        (
            "Unlabelled",
            f"{grouped(n_samples - data['n_labelled'])}, marked {data['unlabelled']}",
        ),
        ("Columns", _columns(data)),
    ]
    if prior["is_given"]:
        given.append(("Prior", f"{percent(prior['value'])}, given"))
    else:
        low, high = prior["interval"]
        bound = "at most " if prior["is_upper_bound"] else ""
        given += [
            ("Prior", f"{bound}{percent(prior['value'])}, estimated ({prior['method']})"),
            ("Its interval", f"{percent(low)} to {percent(high)}"),
        ]
    chosen: list[tuple[str, Any]] = [
        ("Graph", f"{_neighbors(choice)}{count(choice['n_edges'], 'edge', 'edges')}"),
        ("Similarity", _similarity(choice)),
        ("Stage", str(choice["stage"])),
        ("Tradeoff λ", significant(choice["lam"], 4)),
        ("Likely negatives", f"{grouped(choice['n_likely_negative'])} held back in stage 2"),
    ]
    share = choice["n_positive"] / n_samples
    found: list[tuple[str, Any]] = [
        ("Positive", f"{grouped(choice['n_positive'])} ({percent(share)})"),
        ("Of the unlabelled", grouped(choice["n_positive"] - data["n_labelled"])),
        ("Negative", f"{grouped(n_samples - choice['n_positive'])} ({percent(1.0 - share)})"),
        ("Without a label in reach", grouped(choice["n_unreached"])),
    ]
    titles = ("Given", "Chosen", "Found")
    return Html(
        "".join(
            element(
                "div",
                element("h3", title),
                element(
                    "dl", [[element("dt", name), element("dd", value)] for name, value in rows]
                ),
            )
            for title, rows in zip(titles, (given, chosen, found), strict=True)
        )
        + element("p", _why(prior, choice), class_="why")
    )


def _columns(data: dict[str, Any]) -> str:
    if data["is_pairwise"]:
        return "none: similarities or distances were given"
    if data["n_encoded"] == data["n_columns"]:
        return grouped(data["n_columns"])
    return f"{grouped(data['n_columns'])}, as {grouped(data['n_encoded'])} features"


def _neighbors(choice: dict[str, Any]) -> str:
    if choice["n_neighbors"] is None or choice["similarity"] == "precomputed":
        return ""
    return f"{count(choice['n_neighbors'], 'neighbour', 'neighbours')} a sample, "


def _similarity(choice: dict[str, Any]) -> str:
    if choice["similarity"] == "gaussian" and choice["sigma"] is not None:
        return f"Gaussian of weighted distances, σ = {significant(choice['sigma'])}"
    return {"forest": "leaves shared in trees", "precomputed": "given"}.get(
        choice["similarity"], str(choice["similarity"])
    )


def _why(prior: dict[str, Any], choice: dict[str, Any]) -> str:
    if choice["selection"] is not None:
        return (
            "Scores of several learners, and cuts that smooth them along several graphs, were "
            "mixed by how many labelled samples they find that were hidden from them. The best "
            "samples are taken for positive, until their share is the prior, "
            f"{percent(prior['value'])}. The table has all that was tried, and what became of "
            "each. The graph named above, and the cuts below, are those of the cut with most "
            "weight."
        )
    text = (
        "Of all partitions of both stages the one was taken whose share of positives is closest to "
        f"the prior, {percent(prior['value'])}."
    )
    if choice["n_neighbors"] is not None and choice["similarity"] != "precomputed":
        text += (
            " Where several numbers of neighbours were allowed, the largest was taken whose "
            "partition is within two percentage points of the prior, else the closest."
        )
    return text


def selection(summary: dict[str, Any]) -> Html:
    tried = summary["choice"]["selection"]
    if tried is None or not tried["columns"]:
        return Html("")
    heads = [name.replace("_", " ") for name in tried["columns"]]
    lines = [[_cell(value) for value in line] for line in tried["lines"]]
    table = html_table("What was tried", heads, lines, class_="plain")
    return element("div", table, class_="scroll", role="region", tabindex="0", aria_label="Tried")


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return significant(value, 4) if isinstance(value, float) else str(value)


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


def weights(summary: dict[str, Any]) -> Html:
    every = summary["weights"]
    if not every:
        return Html("")
    title = element("h2", "What counts in a distance", id="weights-title")
    if every[0]["weight"] == every[-1]["weight"]:
        same = f"{count(len(every), 'column counts', 'columns count')} the same."
        lead = element("p", same, class_="lead")
        return element("section", title, lead, aria_labelledby="weights-title")
    shown, rest = every[:MOST_BARS], every[MOST_BARS:]
    largest, total = every[0]["weight"], sum(line["weight"] for line in every)
    lines = [
        (
            line["name"],
            Html(_bar(line["weight"] / largest) + element("span", percent(line["weight"] / total))),
        )
        for line in shown
    ]
    more = None
    if rest:
        share = sum(line["weight"] for line in rest) / total
        others = count(len(rest), "further column has", "further columns have")
        more = element("p", f"{others} {percent(share)} of the weight together.", class_="note")
    return element(
        "section",
        title,
        element(
            "p",
            "The weight of each column: how much a difference in it counts when neighbours are "
            "sought.",
            class_="lead",
        ),
        html_table("Columns by weight", ("Column", "Share of the weight"), lines, class_="bars"),
        more,
        aria_labelledby="weights-title",
    )


def _bar(share: float) -> Html:
    width = f"{100.0 * share:.2f}"
    bar = element("rect", width=width, height="10")
    return element(
        "svg",
        bar,
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        class_="bar",
        aria_hidden="true",
    )


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
            class_="quiet",
            data_filter=f"move-{place}",
            aria_label=f"List the samples that change at {move}",
            disabled=n_changed == 0,
        )
        cells = (grouped(line["n_to_positive"]), grouped(line["n_to_negative"]), button)
        lines.append((move, percent(line["prior"]), *cells))
    heads = ("Prior moved by", "to", "become positive", "become negative", "Which")
    return element(
        "section",
        element("h2", "If the prior were another", id="prior-title"),
        element(
            "p",
            "How many samples would change class. The ranking is kept and cut elsewhere; nothing "
            "is fitted again, so that what a new fit would find may differ a little.",
            class_="lead",
        ),
        element(
            "div",
            html_table("Samples that change with the prior", heads, lines, class_="plain moves"),
            class_="scroll",
            role="region",
            tabindex="0",
            aria_label="Samples that change with the prior",
        ),
        aria_labelledby="prior-title",
    )


def unreached(summary: dict[str, Any]) -> Html:
    n_unreached = summary["choice"]["n_unreached"]
    if not n_unreached:
        return Html("")
    button = element("button", "List them", type="button", class_="quiet", data_filter="unreached")
    return element(
        "section",
        element("h2", "Samples no label reaches", id="unreached-title"),
        element(
            "p",
            f"{count(n_unreached, 'sample lies', 'samples lie')} in parts of the graph without any "
            "labelled sample. The cut cannot place them. They are ranked before all others, the "
            "farthest from the labelled ones foremost, and the prior alone decides how many of "
            "them are positive. More neighbours, or a label among them, would reach them. ",
            button,
            class_="lead",
        ),
        aria_labelledby="unreached-title",
    )


def making(summary: dict[str, Any]) -> Html:
    seconds = [(name, f"{value:.2f} s") for name, value in summary["seconds"].items()]
    gaps = max(stage["duality_gap"] for stage in summary["stages"])
    prior = summary["prior"]["text"]
    return element(
        "section",
        element("h2", "How this was made", id="making-title"),
        element("p", prior, class_="lead") if prior else None,
        element(
            "p",
            "All cuts of both stages were solved exactly; their largest relative duality gap is "
            f"{significant(gaps, 2)}, where 0 is a proof of optimality.",
            class_="lead",
        ),
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


def footer(summary: dict[str, Any]) -> str:
    return (
        f"Made by pucut {summary['version']}. This file holds all of its data; nothing is fetched "
        "from anywhere. 2-HNC: Hochbaum and Nitayanont."
    )
