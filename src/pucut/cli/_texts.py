"""Free text as numbers: words and groups of letters, weighted by TF-IDF, in a hundred directions.

What is learned of a column needs no labels, so known positives are in no way favoured by it. It is
kept as plain arrays (`TextModel`), because model files hold nothing that could run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pucut._support.checks import FloatArray
from pucut._support.threads import library_threads

# More directions than these change answers little and take longer; see benchmarks/bench_texts.py.
MOST_COMPONENTS = 100
# Fewer rows than these for each direction, and the directions are those of single rows.
ROWS_PER_COMPONENT = 10
_MOST_TERMS = 10_000  # of each kind
# Groups of letters are for short texts and their spellings; in long ones words say it all, and
# groups take ten times as long.
_LETTERS_LOOKED_AT = 1000
_TERMS_IN_A_NAME = 3
# Texts of fewer words on average that all differ are names of rows.
WORDS_OF_A_TEXT = 3.0


@dataclass(frozen=True, eq=False)
class TextModel:
    """What was learned of a column of texts.

    Attributes
    ----------
    words, letters : str arrays
        The terms: words, and groups of three or four letters within words.
    word_weights, letter_weights : float arrays
        Inverse document frequencies.
    directions : float32 array of shape (n_components, n_words + n_letters)
    names : tuple of str
        The words that matter most in each direction.
    """

    words: npt.NDArray[Any]
    letters: npt.NDArray[Any]
    word_weights: FloatArray
    letter_weights: FloatArray
    directions: npt.NDArray[np.float32]
    names: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "names": list(self.names)}

    @staticmethod
    def from_dict(plain: dict[str, Any]) -> "TextModel":
        return TextModel(**{**plain, "names": tuple(plain["names"])})


def learn_texts(texts: Sequence[str]) -> TextModel | None:
    """None if no word or group of letters is in two of the texts, and not in most."""
    import scipy.sparse as sp
    from sklearn.decomposition import TruncatedSVD

    (words, word_weights, in_words), (letters, letter_weights, in_letters) = (
        _learned(kind, texts) for kind in ("words", "letters")
    )
    if len(words) + len(letters) < 2:
        return None
    terms = sp.hstack([part for part in (in_words, in_letters) if part is not None]).tocsr()
    n_components = min(MOST_COMPONENTS, len(texts) // ROWS_PER_COMPONENT, min(terms.shape) - 1)
    with library_threads(1):  # the same numbers on any machine, however many processors it has
        svd = TruncatedSVD(max(n_components, 1), random_state=0, n_iter=7).fit(terms)
    directions = svd.components_.astype(np.float32)
    by_size = np.argsort(-np.abs(directions[:, : len(words)]), axis=1, kind="stable")
    names = tuple(
        ", ".join(str(words[term]) for term in best[:_TERMS_IN_A_NAME]) for best in by_size
    )
    return TextModel(words, letters, word_weights, letter_weights, directions, names)


def text_values(model: TextModel, cells: Any) -> FloatArray:
    """A row for each cell, NaN for missing ones."""
    texts = cells.fillna("").astype(object).tolist()
    values = np.asarray(_terms(model, texts) @ model.directions.T, dtype=np.float64)
    values[cells.isna().to_numpy(dtype=np.bool_)] = np.nan
    return values


def words_per_text(texts: Any) -> float:
    return float(texts.str.split().str.len().mean())


def _learned(kind: str, texts: Sequence[str]) -> tuple[npt.NDArray[Any], FloatArray, Any]:
    """Terms in the order of the alphabet, their weights, and those of each text; None if none."""
    vectorizer = _vectorizer(kind, min_df=2, max_df=0.5, max_features=_MOST_TERMS)
    try:
        of_texts = vectorizer.fit_transform(_looked_at(kind, texts))
    except ValueError:  # no term is left
        return np.array([], dtype="U1"), np.array([]), None
    return np.asarray(vectorizer.get_feature_names_out(), dtype="U"), vectorizer.idf_, of_texts


def _terms(model: TextModel, texts: Sequence[str]) -> Any:
    """Weights of terms, a row for each text, of length 1 in words and in letters."""
    import scipy.sparse as sp

    parts = []
    for kind, terms, weights in (
        ("words", model.words, model.word_weights),
        ("letters", model.letters, model.letter_weights),
    ):
        if len(terms):
            vectorizer = _vectorizer(kind, vocabulary=terms.tolist())
            vectorizer.idf_ = weights
            parts.append(vectorizer.transform(_looked_at(kind, texts)))
    return sp.hstack(parts).tocsr()


def _looked_at(kind: str, texts: Sequence[str]) -> Sequence[str]:
    return [text[:_LETTERS_LOOKED_AT] for text in texts] if kind == "letters" else texts


def _vectorizer(kind: str, **options: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    if kind == "letters":
        options |= {"analyzer": "char_wb", "ngram_range": (3, 4)}
    return TfidfVectorizer(sublinear_tf=True, **options)
