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
from pucut.data.containers import as_table
from pucut.data.suspects import suspect_columns
from pucut.report.fit import ReportedFit
from pucut.report.markup import list_button
from pucut.report.packing import as_json, unpacked
from pucut.report.wording import (
    NARROW_SPACE,
    called,
    count,
    grouped,
    listed_names,
    n_found,
    of_kind,
    percent,
    shortened,
)

# A row found is sure from the first of these probabilities on, and near the border below the other.
SURE, CLOSE = 0.9, 0.6
N_FIRST = 12
N_NAMED_COLUMNS = 3
LONGEST_NAME = 60
# A column is named as a reason if it separates the rows found at least so much from the others.
LEAST_SEPARATION = 0.2


def facts(fit: ReportedFit) -> dict[str, Any]:
    table = as_table(fit.X)
    suspects = () if table is None else suspect_columns(table, fit.labels, fit.feature_names)
    return {
        "suspects": [
            {"column": suspect.column, "kind": suspect.kind, "text": str(suspect)}
            for suspect in suspects
        ],
        "labelling": _labelling(fit),
        "certainty": _certainty(fit),
        "hidden": _hidden(fit.estimator),
    }


def _labelling(fit: ReportedFit) -> dict[str, Any] | None:
    check = fit.labelling
    if check is None:
        return None
    return {
        "is_random_draw": check.is_random_draw,
        "columns": list(check.columns),
        "finding": check.finding,
        "meaning": check.meaning,
    }


def _certainty(fit: ReportedFit) -> dict[str, Any]:
    inside = fit.probability[fit.groups["found"]]
    return {
        "expected": float(inside.sum()),
        "missed": float(fit.probability[fit.groups["other"]].sum()),
        "n_sure": int(np.count_nonzero(inside >= SURE)),
        "n_close": int(np.count_nonzero(inside < CLOSE)),
    }


def _hidden(estimator: Any) -> dict[str, float] | None:
    """Return the recall of hidden positives, where it is known."""
    selection = getattr(estimator, "selection_", ())
    if not selection or as_json(selection[-1].hidden_recall) is None:
        return None
    mixture = selection[-1]
    return {
        "recall": float(mixture.hidden_recall),
        "standard_error": float(mixture.standard_error),
    }


def render(summary: dict[str, Any]) -> Html:
    questions = {
        "How many?": _how_many(summary),
        "Which?": _which(summary),
        "How sure?": _how_sure(summary),
        "Why these?": _why(summary),
        "What would change it?": _what_would_change_it(summary),
        "Can I trust it?": _trust(summary),
    }
    blocks = [
        element("section", element("h2", question), element("div", answer), class_="answer")
        for question, answer in questions.items()
    ]
    return element("div", "\n", blocks, "\n", class_="answers")


def _how_many(summary: dict[str, Any]) -> Html:
    data, prior = summary["data"], summary["prior"]
    n_samples, n_labelled = data["n_samples"], data["n_labelled"]
    share = percent(summary["n_positive"] / n_samples)
    negatives = ""
    if data["n_negative"]:
        negatives = f", and {grouped(data['n_negative'])} known not to be"
    mark = f"marked {data['positive']}"
    if data["label_name"] is not None:
        mark = f"{data['label_name']} = {data['positive']}"
    text = (
        f"{count(n_labelled, 'row was', 'rows were')} known to be {called(summary)} "
        f"({mark}){negatives}. Of the {grouped(data['n_unlabelled'])} others, "
        f"{grouped(n_found(summary))} look the same. Together they are "
        f"{grouped(summary['n_positive'])} of {grouped(n_samples)} rows, {share}. "
    )
    return element("p", text, _about_the_prior(prior, summary["is_by_prior"]))


def _about_the_prior(prior: dict[str, Any], is_by_prior: bool) -> str:
    share = percent(prior["value"])
    role = "This number follows from the prior, the share of positives among all rows, which"
    if not is_by_prior:
        role = "The prior, the share of positives among all rows,"
    if prior["is_given"]:
        return f"{role} was given as {share}."
    low, high = (percent(end) for end in prior["interval"])
    if prior["is_upper_bound"]:
        return (
            f"{role} is a guess: {share}. The data only say that it is at most about "
            f"{percent(prior['upper_bound'])}."
        )
    return f"{role} was estimated as {share}; it may lie between {low} and {high}."


def _which(summary: dict[str, Any]) -> Html:
    n_rows = n_found(summary)
    if not n_rows:
        return element("p", "None.")
    rows = summary["rows"]
    probability, order = unpacked(rows["probability"]), unpacked(rows["order"])
    is_found = (unpacked(rows["is_positive"]) == 1) & (unpacked(rows["is_labelled"]) == 0)
    here = order[is_found[order]]
    first = here[:N_FIRST]
    is_whole = summary["listed"]["text"] is None or len(here) == n_rows
    lines = [
        element("li", _name(rows, row), element("span", percent(float(probability[row]))))
        for row in first
    ]
    more = n_rows - len(first)
    which = f"all {grouped(n_rows)}" if is_whole else f"the first {grouped(len(here))}"
    text = "The strongest, each with its probability" if more else "Each with its probability"
    return element(
        "div",
        element("p", f"{text}:"),
        element("ol", lines, class_="first-found"),
        element(
            "p",
            f"And {grouped(more)} more. " if more else None,
            list_button(f"List {which}", "found"),
        ),
    )


def _name(rows: dict[str, Any], row: int) -> str:
    if rows["ids"] is not None:
        return shortened(rows["ids"][row], LONGEST_NAME)
    return f"row {row if rows['number'] is None else unpacked(rows['number'])[row]}"


def _how_sure(summary: dict[str, Any]) -> list[Html]:
    lines = []
    hidden, certainty, n_rows = summary["hidden"], summary["certainty"], n_found(summary)
    if hidden is not None:
        lines.append(
            f"To check, known positives were hidden from the method. It found "
            f"{percent(hidden['recall'])} of them again. About as many of the positives that are "
            f"not known, give or take {percent(hidden['standard_error'])}, should be among the "
            "rows found, if the prior is right."
        )
    elif summary["selection"] is not None:
        lines.append("A single known row cannot be hidden, so that nothing could be checked.")
    if n_rows:
        expected, missed = round(certainty["expected"]), round(certainty["missed"])
        lines.append(
            f"By their probabilities, about {grouped(expected)} of the {grouped(n_rows)} rows "
            f"found are {called(summary)}, and about {grouped(missed)} more are among the rows "
            f"that were not found. {grouped(certainty['n_sure'])} of the rows found have a "
            f"probability of 90{NARROW_SPACE}% or more; {grouped(certainty['n_close'])} are close "
            f"to the border, below 60{NARROW_SPACE}%."
        )
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
    shown = column["distribution"]
    inside, outside = (shown["medians"][group] for group in ("found", "other"))
    if inside is not None and outside is not None:
        if inside == outside or column["kind"] == "text":  # numbers of a direction say nothing
            return str(column["name"])
        pair = " against ".join(of_kind(value, column["kind"]) for value in (inside, outside))
        return f"{column['name']} (median {pair})"
    shares = {
        group: np.array(shown["counts"][group]) / max(sum(shown["counts"][group]), 1)
        for group in ("found", "other")
    }
    place = int(np.argmax(np.abs(shares["found"] - shares["other"])))
    pair = " against ".join(percent(float(shares[group][place])) for group in ("found", "other"))
    return f"{column['name']} ({shown['values'][place]}: {pair})"


def _what_would_change_it(summary: dict[str, Any]) -> list[Html]:
    if not summary["is_by_prior"]:
        return [element("p", "Other labels. The threshold is the method's own, not the prior's.")]
    possible = [line for line in summary["sensitivity"] if line["is_possible"]]
    texts = []
    for line in possible:
        if abs(line["move"]) != min(abs(other["move"]) for other in possible):
            continue
        prior = percent(line["prior"])
        if line["move"] < 0:
            texts.append(f"at {prior}, {grouped(line['n_to_negative'])} fewer rows are found")
        else:
            texts.append(f"at {prior}, {grouped(line['n_to_positive'])} more")
    text = "Another prior and other labels. "
    if texts:
        text += f"If the prior is not {percent(summary['prior']['value'])}: {'; '.join(texts)}. "
    more = (
        "Labels help most for rows close to the border: each of them is positive or not by a small "
        "margin. "
    )
    button = list_button("List the rows nearest to the border", "border")
    return [element("p", text), element("p", more, button)]


def _trust(summary: dict[str, Any]) -> list[Html]:
    found = [
        element("li", alert["text"], " ", _listing(place, alert))
        for place, alert in enumerate(summary["alerts"])
    ]
    assumption = (
        "All of this takes the known positives for a fair sample of all positives. If they were "
        "known because they are easy to spot, positives unlike them are missed, and the share of "
        "positives comes out too low."
    )
    if not found:
        assumption = f"Nothing in the table speaks against it. {assumption}"
    check = summary["labelling"]
    if check is None:
        assumption += " Whether they are one was not checked here; pucut.check_labelling does."
    elif check["is_random_draw"] is not False:
        assumption += f" It was checked. {check['finding']} {check['meaning']}"
    alerts = element("ul", found, class_="alerts") if found else Html("")
    return [alerts, element("p", assumption)]


def _listing(place: int, alert: dict[str, Any]) -> Html | None:
    if alert["rows"] is None:
        return None
    label = f"List the rows of this alert: {alert['kind']}"
    return list_button("List them", f"alert-{place}", aria_label=label)
