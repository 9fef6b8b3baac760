"""The reader's own words for the two classes."""

from typing import Any

from pucut.data.label_words import meaning_of, number_of

LONGEST = 30


def word_for(mark: str) -> str | None:
    """The mark of known positives if it is a word for what they are, such as "cancer"."""
    text = mark.strip()
    says_nothing = len(text) < 2 or meaning_of(text) is not None or number_of(text) is not None
    return None if says_nothing or len(text) > LONGEST else text


def called(summary: dict[str, Any]) -> str:
    """What positives are called: positive, or the reader's own word in quotes."""
    word = summary["data"]["word"]
    return "positive" if word is None else f"“{word}”"


def known_as(summary: dict[str, Any]) -> str:
    """How known positives are marked: known = 1."""
    data = summary["data"]
    if data["label_name"] is None:
        return f"marked {data['positive']}"
    return f"{data['label_name']} = {data['positive']}"
