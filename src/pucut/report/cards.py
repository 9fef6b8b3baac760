"""A card for each column: what it is, its gaps, its values among the rows, and its weight."""

from typing import Any

from pucut._support.html import Html, element, html_table
from pucut.report.charts import TITLES, bar, by_group, histogram
from pucut.report.numbers import count, grouped, of_kind, percent

LONGEST_VALUE = 40
# Cards that are open; the others are folded.
N_OPEN = 9
MOST_LISTED = 200


def columns(summary: dict[str, Any]) -> Html:
    """The section of all columns; nothing where there are none to read."""
    shown = summary["columns"]
    if not shown:
        return Html("")
    total = sum(line["weight"] for line in summary["weights"])
    cards = [card(column, summary["data"]["n_samples"], total) for column in shown]
    folded = None
    if len(cards) > N_OPEN:
        folded = element(
            "details",
            element("summary", f"{count(len(cards) - N_OPEN, 'more column', 'more columns')}"),
            element("div", cards[N_OPEN:], class_="cards"),
        )
    return element(
        "section",
        element("h2", "The columns", id="columns-title"),
        element("p", _lead(summary), class_="lead"),
        element("div", cards[:N_OPEN], class_="cards"),
        folded,
        _all_weights(summary),
        aria_labelledby="columns-title",
        id="columns",
    )


def _lead(summary: dict[str, Any]) -> str:
    shown, data = len(summary["columns"]), summary["data"]
    weights, n_columns, n_features = summary["weights"], data["n_columns"], data["n_features"]
    which = "All columns" if shown == n_features else f"{shown} of {grouped(n_features)} columns"
    if n_features != n_columns:
        which = (
            f"The {grouped(n_columns)} columns of the table were read as {grouped(n_features)}: a "
            "date may add its month or weekday, numbers their limits, and a free text its "
            f"directions. {'All are shown' if shown == n_features else f'{shown} are shown'}"
        )
    if not weights:
        text = f"{which}, first those in which the rows found differ most from the others."
        return f"{text} This method has no weights for columns."
    if weights[0]["weight"] == weights[-1]["weight"]:
        return f"{which}. All of them count the same."
    text = f"{which}, first those that count most."
    if summary["space"] is not None:
        return f"{text} The weights are those of the space “{summary['space']}”."
    return text


def card(column: dict[str, Any], n_samples: int, total_weight: float) -> Html:
    """One column."""
    facts = [column["text"]]
    if column["n_missing"]:
        gaps = count(column["n_missing"], "gap", "gaps")
        facts.append(f"{gaps} ({percent(column['n_missing'] / n_samples)})")
    else:
        facts.append("no gaps")
    if column["weight"] is not None and total_weight > 0.0:
        facts.append(f"{percent(column['weight'] / total_weight)} of the weight")
    shown = column["distribution"]
    drawn = _of_bins(column) if shown["edges"] is not None else _of_values(column)
    return element(
        "article",
        element("h3", column["name"]),
        element("p", " · ".join(facts), class_="note"),
        drawn,
        class_="card",
    )


def _of_bins(column: dict[str, Any]) -> Html:
    shown, kind = column["distribution"], column["kind"]
    lines = []
    for group, counts in shown["counts"].items():
        median = shown["medians"][group]
        text = "no values" if median is None else f"median {of_kind(median, kind)}"
        lines.append((TITLES[group], histogram(counts, group), text))
    return by_group(lines, [of_kind(shown["edges"][end], kind) for end in (0, -1)])


def _of_values(column: dict[str, Any]) -> Html:
    shown, is_date = column["distribution"], column["kind"] == "date"
    groups = list(shown["counts"])
    totals = {group: max(sum(shown["counts"][group]), 1) for group in groups}
    lines = []
    for place, value in enumerate(shown["values"]):
        shares = [shown["counts"][group][place] / totals[group] for group in groups]
        value = of_kind(float(value), "date") if is_date else value
        text = value if len(value) <= LONGEST_VALUE else f"{value[: LONGEST_VALUE - 1]}…"
        lines.append((text, *(bar(share, percent(share)) for share in shares)))
    heads = ("Value", *(TITLES[group] for group in groups))
    table = html_table(f"Values of {column['name']}", heads, lines, class_="values-by-group")
    return Html(table.replace("<caption>", '<caption class="unseen">', 1))


def _all_weights(summary: dict[str, Any]) -> Html | None:
    """The weights of all columns, folded; of very many only the heaviest."""
    every = summary["weights"]
    if not every or every[0]["weight"] == every[-1]["weight"]:
        return None
    largest, total = every[0]["weight"], sum(line["weight"] for line in every)
    listed, rest = every[:MOST_LISTED], every[MOST_LISTED:]
    lines = [
        (line["name"], bar(line["weight"] / largest, percent(line["weight"] / total)))
        for line in listed
    ]
    more = None
    if rest:
        share = sum(line["weight"] for line in rest) / total
        others = count(len(rest), "other column has", "other columns together have")
        more = element("p", f"{others} {percent(share)} of the weight.", class_="note")
    return element(
        "details",
        element("summary", "The weight of every column"),
        html_table("Columns by weight", ("Column", "Share of the weight"), lines, class_="bars"),
        more,
    )
