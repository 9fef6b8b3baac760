"""Texts as a sparse matrix: TF-IDF of words and pairs of words."""

from collections.abc import Sequence
from typing import Any

import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

# Pairs of words make ten times as many columns: of more rows only single words are used.
MOST_ROWS_WITH_PAIRS = 30_000
# Words in more than this share of the rows say nothing.
_MOST_COMMON = 0.95


def text_matrix(texts: Sequence[str]) -> sp.csr_array:
    """One row per text, of length 1, or 0 where a text has no word to go by."""
    vectorizer = TfidfVectorizer(
        ngram_range=(1, 2) if len(texts) <= MOST_ROWS_WITH_PAIRS else (1, 1),
        sublinear_tf=True,
        max_df=_MOST_COMMON if len(texts) > 1 else 1.0,
    )
    try:
        matrix: Any = vectorizer.fit_transform(texts)
    except ValueError:  # no word at all, or only such as are in nearly every text
        return sp.csr_array((len(texts), 0))
    return sp.csr_array(matrix)
