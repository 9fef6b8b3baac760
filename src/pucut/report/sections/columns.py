"""The section "The columns": a card for each, with its gaps, values and weight.

Keys of the summary::

    kinds                 how many columns of the file are numbers, categories, dates ...
    columns               those with most weight, or that separate most: name, kind ("number",
                          "category", "date": days since 1970, "text": a direction in its words),
                          text (the same in words), weight, n_missing,
                          values (places in categories, where these are not null; NaN is missing),
                          mean, mean_labelled, deviation, usual, usual_labelled (the most frequent
                          categories), separation (of the rows found from the others, 0 to 1),
                          distribution (edges of bins or values, with counts and medians of the
                          groups)
    space                 pucut: what the space is called that has the weights
    weights               name and weight of all columns of the file, heaviest first; empty without
                          weights
"""

from typing import Any

from pucut._support.html import Html, element, html_table
from pucut.report.fit import PUCUT, ReportedFit
from pucut.report.markup import TITLES, bar, by_group, filled, histogram
from pucut.report.values import count, grouped, of_kind, packed, percent, sentence, shortened

LONGEST_VALUE = 40
# Cards that are open; the others are folded.
N_OPEN = 9
# Columns in the table of weights.
MOST_WEIGHTS = 200


def facts(fit: ReportedFit) -> dict[str, Any]:
    here, table = fit.listed.rows, fit.table
    return {
        "columns": [
            column | {"values": packed(column["values"][here], "float32")} for column in table.shown
        ],
        "kinds": table.kinds(),
        "space": fit.estimator.mixture_.weights_of if fit.method == PUCUT else None,
        "weights": [{"name": name, "weight": weight} for name, weight in table.weight_of().items()],
    }


def render(summary: dict[str, Any]) -> Html:
    shown = summary["columns"]
    if not shown:
        return Html("")
    total = sum(line["weight"] for line in summary["weights"])
    cards = [_card(column, summary["data"]["n_samples"], total) for column in shown]
    more = count(len(cards) - N_OPEN, "more column", "more columns")
    folded = element("div", cards[N_OPEN:], class_="cards")
    return filled(
        "columns.html",
        lead=_lead(summary),
        cards=cards[:N_OPEN],
        folded=_folded(more, folded) if len(cards) > N_OPEN else None,
        weights=_all_weights(summary["weights"]),
    )


def _folded(title: str, *parts: Any) -> Html:
    return element("details", element("summary", title), parts)


def _lead(summary: dict[str, Any]) -> str:
    n_shown, data, weights = len(summary["columns"]), summary["data"], summary["weights"]
    n_columns, n_features = data["n_columns"], data["n_features"]
    is_whole = n_shown == n_features
    which = "All columns" if is_whole else f"{n_shown} of {grouped(n_features)} columns"
    if n_features != n_columns:
        which = sentence("columns_of_table", n_shown="All" if is_whole else n_shown, **data)
    if not weights:
        text = f"{which}, first those in which the rows found differ most from the others."
        return f"{text} This method has no weights for columns."
    if _are_equal(weights):
        return f"{which}. All of them count the same."
    text = f"{which}, first those that count most."
    if summary["space"] is not None:
        text += f" The weights are those of the space “{summary['space']}”."
    return text


def _are_equal(weights: list[dict[str, Any]]) -> bool:
    return bool(weights[0]["weight"] == weights[-1]["weight"])


def _card(column: dict[str, Any], n_samples: int, total_weight: float) -> Html:
    notes = [column["text"], "no gaps"]
    if column["n_missing"]:
        gaps = count(column["n_missing"], "gap", "gaps")
        notes[1] = f"{gaps} ({percent(column['n_missing'] / n_samples)})"
    if column["weight"] is not None and total_weight > 0.0:
        notes.append(f"{percent(column['weight'] / total_weight)} of the weight")
    picture = _of_values if column["distribution"]["edges"] is None else _of_bins
    note = element("p", " · ".join(notes), class_="note")
    return element("article", element("h3", column["name"]), note, picture(column), class_="card")


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
    totals = {group: max(sum(counts), 1) for group, counts in shown["counts"].items()}
    lines = []
    for place, value in enumerate(shown["values"]):
        shares = [shown["counts"][group][place] / total for group, total in totals.items()]
        text = shortened(of_kind(float(value), "date") if is_date else value, LONGEST_VALUE)
        lines.append((text, *(bar(share, percent(share)) for share in shares)))
    heads = ("Value", *(TITLES[group] for group in totals))
    table = html_table(f"Values of {column['name']}", heads, lines, class_="values-by-group")
    return Html(table.replace("<caption>", '<caption class="unseen">', 1))


def _all_weights(weights: list[dict[str, Any]]) -> Html | None:
    """List the weights of all columns, folded; of very many only the heaviest."""
    if not weights or _are_equal(weights):
        return None
    largest, total = weights[0]["weight"], sum(line["weight"] for line in weights)
    lines = [
        (line["name"], bar(line["weight"] / largest, percent(line["weight"] / total)))
        for line in weights[:MOST_WEIGHTS]
    ]
    heads, more = ("Column", "Share of the weight"), None
    if rest := weights[MOST_WEIGHTS:]:
        share = sum(line["weight"] for line in rest) / total
        others = count(len(rest), "other column has", "other columns together have")
        more = element("p", f"{others} {percent(share)} of the weight.", class_="note")
    table = html_table("Columns by weight", heads, lines, class_="bars")
    return _folded("The weight of every column", table, more)
