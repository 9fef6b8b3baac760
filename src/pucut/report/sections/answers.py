"""The first page: how many, which, how sure, why, what would change it, can I trust it.

Keys of the summary::

    suspects              columns that tell which rows were labelled: column, kind ("filled",
                          "empty", "value", "range"), text
    labelling             whether known positives look like a random draw: is_random_draw (null if
                          that cannot be told), columns that differ, finding and meaning in words;
                          null if it was not checked
    certainty             by probabilities: expected (positives among the rows found), missed (among
                          the others), n_sure (found with 90 % or more), n_close (below 60 %)
    hidden                pucut: recall, of known positives that were hidden, and standard_error,
                          how far that of positives that nobody knows may be from it
"""

from typing import Any

import numpy as np

from pucut._support.html import Html, element
from pucut.data.suspects import suspect_columns
from pucut.data.tables import as_table
from pucut.report.fit import ReportedFit
from pucut.report.markup import filled, list_button
from pucut.report.values import (
    as_json,
    called,
    count,
    grouped,
    listed_names,
    n_found,
    of_kind,
    percent,
    sentence,
    shortened,
    unpacked,
)

# A row found is sure from the first of these probabilities on, and near the border below the other.
SURE, CLOSE = 0.9, 0.6
N_FIRST = 12
N_NAMED_COLUMNS = 3
LONGEST_NAME = 60
# A column is named as a reason if it separates the rows found at least so much from the others.
LEAST_SEPARATION = 0.2


def facts(fit: ReportedFit) -> dict[str, Any]:
    inside, check, labelling = fit.probability[fit.groups["found"]], fit.labelling, None
    if check is not None:
        names = ("is_random_draw", "finding", "meaning")
        labelling = {name: getattr(check, name) for name in names} | {"columns": [*check.columns]}
    table = as_table(fit.X)
    suspects = () if table is None else suspect_columns(table, fit.labels, fit.feature_names)
    return {
        "suspects": [
            {"column": suspect.column, "kind": suspect.kind, "text": str(suspect)}
            for suspect in suspects
        ],
        "labelling": labelling,
        "certainty": {
            "expected": float(inside.sum()),
            "missed": float(fit.probability[fit.groups["other"]].sum()),
            "n_sure": int(np.count_nonzero(inside >= SURE)),
            "n_close": int(np.count_nonzero(inside < CLOSE)),
        },
        "hidden": _hidden(fit.estimator),
    }


def _hidden(estimator: Any) -> dict[str, float] | None:
    """Return the recall of hidden positives, where it is known."""
    selection = getattr(estimator, "selection_", ())
    if not selection or as_json(selection[-1].hidden_recall) is None:
        return None
    recall, error = selection[-1].hidden_recall, selection[-1].standard_error
    return {"recall": float(recall), "standard_error": float(error)}


def render(summary: dict[str, Any]) -> Html:
    return filled(
        "answers.html",
        how_many=_how_many(summary),
        which=_which(summary),
        how_sure=_how_sure(summary),
        why=_why(summary),
        change=_what_would_change_it(summary),
        trust=_trust(summary),
    )


def _how_many(summary: dict[str, Any]) -> Html:
    data, prior = summary["data"], summary["prior"]
    known = count(data["n_labelled"], "row was", "rows were")
    mark = "marked" if data["label_name"] is None else f"{data['label_name']} ="
    n_negative = data["n_negative"]
    parts = data | {
        "known": f"{known} known to be {called(summary)} ({mark} {data['positive']})",
        "negatives": f", and {grouped(n_negative)} known not to be" if n_negative else "",
        "n_found": n_found(summary),
        "n_positive": summary["n_positive"],
        "share": summary["n_positive"] / data["n_samples"],
    }
    role = "This number follows from the prior, the share of positives among all rows, which"
    if not summary["is_by_prior"]:
        role = "The prior, the share of positives among all rows,"
    low, high = (percent(end) for end in prior["interval"] or (0.0, 0.0))
    estimate = f"was estimated as {percent(prior['value'])}; it may lie between {low} and {high}."
    if prior["is_given"]:
        estimate = f"was given as {percent(prior['value'])}."
    elif prior["is_upper_bound"]:
        estimate = sentence("bounded_prior", **prior)
    return element("p", f"{sentence('how_many', **parts)} {role} {estimate}")


def _which(summary: dict[str, Any]) -> Html:
    n_rows, rows = n_found(summary), summary["rows"]
    if not n_rows:
        return element("p", "None.")
    probability, order = unpacked(rows["probability"]), unpacked(rows["order"])
    is_found = (unpacked(rows["is_positive"]) == 1) & (unpacked(rows["is_labelled"]) == 0)
    here = order[is_found[order]]
    lines = [
        element("li", _name(rows, row), element("span", percent(float(probability[row]))))
        for row in here[:N_FIRST]
    ]
    more = n_rows - len(lines)
    is_whole = summary["listed"]["text"] is None or len(here) == n_rows
    which = f"all {grouped(n_rows)}" if is_whole else f"the first {grouped(len(here))}"
    text = "The strongest, each with its probability" if more else "Each with its probability"
    button = list_button(f"List {which}", "found")
    return element(
        "div",
        element("p", f"{text}:"),
        element("ol", lines, class_="first-found"),
        element("p", f"And {grouped(more)} more. " if more else None, button),
    )


def _name(rows: dict[str, Any], row: int) -> str:
    if rows["ids"] is not None:
        return shortened(rows["ids"][row], LONGEST_NAME)
    return f"row {row if rows['number'] is None else unpacked(rows['number'])[row]}"


def _how_sure(summary: dict[str, Any]) -> list[Html]:
    lines, certainty, n_rows = [], summary["certainty"], n_found(summary)
    if summary["hidden"] is not None:
        lines.append(sentence("hidden_found", **summary["hidden"]))
    elif summary["selection"] is not None:
        lines.append("A single known row cannot be hidden, so that nothing could be checked.")
    if n_rows:
        counts = {f"n_{name}": round(certainty[name]) for name in ("expected", "missed")}
        parts = certainty | counts | {"n_found": n_rows, "called": called(summary)}
        lines.append(sentence("by_probabilities", **parts))
    return [element("p", line) for line in lines]


def _why(summary: dict[str, Any]) -> list[Html]:
    texts = [summary["explanation"]]
    weights = summary["weights"]
    if weights and weights[0]["weight"] > weights[-1]["weight"]:
        total = sum(line["weight"] for line in weights)
        named = [
            f"{line['name']} ({percent(line['weight'] / total)})"
            for line in weights[:N_NAMED_COLUMNS]
        ]
        texts.append(f"The columns that count most: {listed_names(named)}.")
    apart = sorted(summary["columns"], key=lambda column: -column["separation"])
    apart = [column for column in apart if column["separation"] >= LEAST_SEPARATION]
    if apart and n_found(summary):
        named = [_difference(column) for column in apart[:N_NAMED_COLUMNS]]
        texts.append(f"The rows found differ most from the other rows in {listed_names(named)}.")
    return [element("p", text) for text in texts if text]


def _difference(column: dict[str, Any]) -> str:
    """Describe how the rows found differ from the others in a column."""
    shown, kind, groups = column["distribution"], column["kind"], ("found", "other")
    medians = [shown["medians"][group] for group in groups]
    if None not in medians:
        if medians[0] == medians[1] or kind == "text":  # numbers of a direction say nothing
            return str(column["name"])
        return f"{column['name']} (median {' against '.join(of_kind(x, kind) for x in medians)})"
    counts = np.array([shown["counts"][group] for group in groups], dtype=np.float64)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    place = int(np.argmax(np.abs(shares[0] - shares[1])))
    pair = " against ".join(percent(float(share)) for share in shares[:, place])
    return f"{column['name']} ({shown['values'][place]}: {pair})"


def _what_would_change_it(summary: dict[str, Any]) -> list[Html]:
    if not summary["is_by_prior"]:
        return [element("p", "Other labels. The threshold is the method's own, not the prior's.")]
    possible = [line for line in summary["sensitivity"] if line["is_possible"]]
    least = min((abs(line["move"]) for line in possible), default=0.0)
    texts = []
    for line in (line for line in possible if abs(line["move"]) == least):
        changed = f"{grouped(line['n_to_positive'])} more"
        if line["move"] < 0:
            changed = f"{grouped(line['n_to_negative'])} fewer rows are found"
        texts.append(f"at {percent(line['prior'])}, {changed}")
    text = "Another prior and other labels. "
    if texts:
        text += f"If the prior is not {percent(summary['prior']['value'])}: {'; '.join(texts)}. "
    button = list_button("List the rows nearest to the border", "border")
    return [element("p", text), element("p", sentence("near_the_border"), " ", button)]


def _trust(summary: dict[str, Any]) -> list[Html]:
    found, check = summary["alerts"], summary["labelling"]
    texts = [] if found else ["Nothing in the table speaks against it."]
    texts.append(sentence("assumption"))
    if check is None:
        texts.append("Whether they are one was not checked here; pucut.check_labelling does.")
    elif check["is_random_draw"] is not False:
        texts.append(f"It was checked. {check['finding']} {check['meaning']}")
    lines = []
    for place, alert in enumerate(found):
        label = f"List the rows of this alert: {alert['kind']}"
        button = list_button("List them", f"alert-{place}", aria_label=label)
        lines.append(element("li", alert["text"], " ", None if alert["rows"] is None else button))
    alerts = element("ul", lines, class_="alerts") if lines else Html("")
    return [alerts, element("p", " ".join(texts))]
