"""Free text as numbers, by TF-IDF: as columns of a table, and as a sparse matrix for rankings.

A column of texts becomes a hundred directions in the space of its words and groups of letters. They
are learned without labels, so known positives are in no way favoured. They are kept as plain arrays
(`TextModel`), because model files hold nothing that could run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from pucut._support.checks import FloatArray
from pucut._support.threads import library_threads

# More directions change answers little and take longer; see benchmarks/bench_texts.py.
MOST_COMPONENTS = 100
# With fewer rows for each direction, directions are those of single rows.
ROWS_PER_COMPONENT = 10
_MOST_TERMS = 10_000  # of each kind
# Groups of letters are for short texts and their spellings; in long texts words suffice, and groups
# take ten times as long.
_LETTERS_LOOKED_AT = 1000
_TERMS_IN_A_NAME = 3
# Texts of fewer words on average that all differ are names of rows.
WORDS_OF_A_TEXT = 3.0
# Pairs of words make ten times as many columns: with more rows only single words are used.
MOST_ROWS_WITH_PAIRS = 30_000
# Words in more than this share of the rows say nothing.
_MOST_COMMON = 0.95
_OPTIONS: dict[str, dict[str, Any]] = {
    "words": {},
    "letters": {"analyzer": "char_wb", "ngram_range": (3, 4)},
}


@dataclass(frozen=True, eq=False)
class TextModel:
    """The terms and directions of a column of texts.

    Weights of terms are inverse document frequencies. `directions` has one row per direction and
    one column per term, and `names` the words that matter most in each direction.
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

    def values(self, texts: Sequence[str | None]) -> FloatArray:
        """Return one row per text; NaN for missing ones, which are None."""
        values = np.asarray(self._terms(texts) @ self.directions.T, dtype=np.float64)
        values[[text is None for text in texts]] = np.nan
        return values

    def _terms(self, texts: Sequence[str | None]) -> Any:
        """Return the weights of terms; words and letters of a text each have length 1."""
        parts = []
        words = ("words", self.words, self.word_weights)
        for kind, terms, weights in (words, ("letters", self.letters, self.letter_weights)):
            if len(terms):
                vectorizer = _vectorizer(kind, vocabulary=terms.tolist())
                vectorizer.idf_ = weights
                parts.append(vectorizer.transform(_shortened(kind, texts)))
        return sp.hstack(parts).tocsr()


def learn_texts(texts: Sequence[str]) -> TextModel | None:
    """Learn the model of a column; None if no term is in two of its texts and not in most."""
    usual = {"min_df": 2, "max_df": 0.5, "max_features": _MOST_TERMS}
    fitted = [_fitted(kind, texts, **usual) for kind in _OPTIONS]
    (words, word_weights), (letters, letter_weights) = (_terms_of(each) for each, _ in fitted)
    if len(words) + len(letters) < 2:
        return None
    matrix = sp.hstack([part for _, part in fitted if part.shape[1]]).tocsr()
    n_components = min(MOST_COMPONENTS, len(texts) // ROWS_PER_COMPONENT, min(matrix.shape) - 1)
    with library_threads(1):  # the same numbers on any machine, however many processors it has
        svd = TruncatedSVD(max(n_components, 1), random_state=0, n_iter=7).fit(matrix)
    directions = svd.components_.astype(np.float32)
    by_size = np.argsort(-np.abs(directions[:, : len(words)]), axis=1, kind="stable")
    names = (", ".join(str(words[term]) for term in best[:_TERMS_IN_A_NAME]) for best in by_size)
    return TextModel(words, letters, word_weights, letter_weights, directions, tuple(names))


def text_matrix(texts: Sequence[str]) -> sp.csr_array:
    """Return one row per text by its words and pairs of words.

    Rows have length 1, or 0 where a text has no word to go by.
    """
    pairs = (1, 2) if len(texts) <= MOST_ROWS_WITH_PAIRS else (1, 1)
    most = _MOST_COMMON if len(texts) > 1 else 1.0
    return sp.csr_array(_fitted("words", texts, ngram_range=pairs, max_df=most)[1])


def _fitted(kind: str, texts: Sequence[str], **options: Any) -> tuple[Any, Any]:
    """Return the vectorizer of these texts, and the weights of terms, one row per text."""
    vectorizer = _vectorizer(kind, **options)
    try:
        return vectorizer, vectorizer.fit_transform(_shortened(kind, texts))
    except ValueError:  # no term is left
        return vectorizer, sp.csr_array((len(texts), 0))


def _terms_of(vectorizer: Any) -> tuple[npt.NDArray[Any], FloatArray]:
    """Return the terms in the order of the alphabet, and their weights."""
    if not getattr(vectorizer, "vocabulary_", None):
        return np.array([], dtype="U1"), np.array([])
    return np.asarray(vectorizer.get_feature_names_out(), dtype="U"), vectorizer.idf_


def _shortened(kind: str, texts: Sequence[str | None]) -> Iterator[str]:
    most = _LETTERS_LOOKED_AT if kind == "letters" else None
    return ((text or "")[:most] for text in texts)


def _vectorizer(kind: str, **options: Any) -> Any:
    return TfidfVectorizer(sublinear_tf=True, **_OPTIONS[kind] | options)
