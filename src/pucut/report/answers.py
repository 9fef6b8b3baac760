"""The first page: how many, which, how sure, why, what would change it, can I trust it."""

from typing import Any

import numpy as np

from pucut._support.html import Html, element
from pucut.report.numbers import count, grouped, of_kind, percent
from pucut.report.packing import unpacked
from pucut.report.wording import called, known_as

N_FIRST = 12
N_NAMED_COLUMNS = 3
LONGEST_NAME = 60
# A column is named as a reason if the rows found differ at least so much from the others in it.
LEAST_SEPARATION = 0.2


def headline(summary: dict[str, Any]) -> str:
    n_others = summary["data"]["n_unlabelled"]
    n_found = found(summary)
    verb = "looks" if n_found == 1 else "look"
    return f"{grouped(n_found)} of {grouped(n_others)} unlabelled rows {verb} {called(summary)}"


def found(summary: dict[str, Any]) -> int:
    """Rows that were not known to be positive and are classified as such."""
    return int(summary["n_positive"] - summary["data"]["n_labelled"])


def answers(summary: dict[str, Any]) -> Html:
    """The six questions with their answers, in this order."""
    asked = {
        "How many?": _how_many(summary),
        "Which?": _which(summary),
        "How sure?": _how_sure(summary),
        "Why these?": _why(summary),
        "What would change it?": _what_would_change_it(summary),
        "Can I trust it?": _trust(summary),
    }
    return Html(
        "".join(
            element("section", element("h2", question), element("div", answer), class_="answer")
            for question, answer in asked.items()
        )
    )


def _how_many(summary: dict[str, Any]) -> Html:
    data, prior = summary["data"], summary["prior"]
    n_samples, n_labelled = data["n_samples"], data["n_labelled"]
    share = percent(summary["n_positive"] / n_samples)
    known = count(n_labelled, "row was", "rows were")
    text = (
        f"{known} known to be {called(summary)} ({known_as(summary)}){_negatives(data)}. Of the "
        f"{grouped(data['n_unlabelled'])} others, {grouped(found(summary))} look the same. "
        f"Together they are {grouped(summary['n_positive'])} of {grouped(n_samples)} rows, "
        f"{share}. "
    )
    return element("p", text, _about_the_prior(prior, summary["is_by_prior"]))


def _negatives(data: dict[str, Any]) -> str:
    if not data["n_negative"]:
        return ""
    return f", and {grouped(data['n_negative'])} known not to be"


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
    n_found = found(summary)
    if not n_found:
        return element("p", "None.")
    rows = summary["rows"]
    probability = unpacked(rows["probability"])
    here = rows_found(summary)
    first = here[:N_FIRST]
    is_whole = summary["listed"]["text"] is None or len(here) == n_found
    lines = [
        element("li", _name(summary, row), element("span", percent(float(probability[row]))))
        for row in first
    ]
    more = n_found - len(first)
    button = element(
        "button",
        f"List all {grouped(n_found)}" if is_whole else f"List the first {grouped(len(here))}",
        type="button",
        class_="quiet scripted",
        data_filter="found",
    )
    text = "The strongest, each with its probability" if more else "Each with its probability"
    return element(
        "div",
        element("p", f"{text}:"),
        element("ol", lines, class_="first-found"),
        element("p", f"And {grouped(more)} more. " if more else None, button),
    )


def rows_found(summary: dict[str, Any]) -> Any:
    """The rows found that are on the page, by their places there, highest score first."""
    rows = summary["rows"]
    order = unpacked(rows["order"])
    is_found = (unpacked(rows["is_positive"]) == 1) & (unpacked(rows["is_labelled"]) == 0)
    return order[is_found[order]]


def _name(summary: dict[str, Any], row: int) -> str:
    ids, numbers = summary["rows"]["ids"], summary["rows"]["number"]
    number = row if numbers is None else unpacked(numbers)[row]
    name = f"row {number}" if ids is None else ids[row]
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _how_sure(summary: dict[str, Any]) -> list[Html]:
    lines = []
    hidden, certainty, n_found = summary["hidden"], summary["certainty"], found(summary)
    if hidden is not None:
        lines.append(
            f"To check, known positives were hidden from the method. It found "
            f"{percent(hidden['recall'])} of them again. About as many of the positives that are "
            f"not known, give or take {percent(hidden['standard_error'])}, should be among the "
            "rows found, if the prior is right."
        )
    elif summary["selection"] is not None:
        lines.append("A single known row cannot be hidden, so that nothing could be checked.")
    if n_found:
        expected, missed = round(certainty["expected"]), round(certainty["missed"])
        lines.append(
            f"By their probabilities, about {grouped(expected)} of the {grouped(n_found)} rows "
            f"found are {called(summary)}, and about {grouped(missed)} more are among the rows "
            f"that were not found. {grouped(certainty['n_sure'])} of the rows found have a "
            f"probability of 90{chr(0x202F)}% or more; {grouped(certainty['n_close'])} are close "
            f"to the border, below 60{chr(0x202F)}%."
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
        texts.append(f"The columns that count most: {_listed(named)}.")
    apart = sorted(summary["columns"], key=lambda column: -column["separation"])
    apart = [column for column in apart if column["separation"] >= LEAST_SEPARATION]
    if apart and found(summary):
        named = [_difference(column) for column in apart[:N_NAMED_COLUMNS]]
        texts.append(f"The rows found differ most from the other rows in {_listed(named)}.")
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


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _what_would_change_it(summary: dict[str, Any]) -> list[Html]:
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
    if not summary["is_by_prior"]:
        return [element("p", "Other labels. The threshold is the method's own, not the prior's.")]
    text = "Another prior and other labels. "
    if texts:
        text += f"If the prior is not {percent(summary['prior']['value'])}: {'; '.join(texts)}. "
    button = element(
        "button",
        "List the rows nearest to the border",
        type="button",
        class_="quiet scripted",
        data_filter="border",
    )
    more = (
        "Labels help most for rows close to the border: each of them is positive or not by a small "
        "margin. "
    )
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
    return element(
        "button",
        "List them",
        type="button",
        class_="quiet scripted",
        data_filter=f"alert-{place}",
        aria_label=f"List the rows of this alert: {alert['kind']}",
    )
