"""The plan of a fit of the chooser, from its parameters and the size of the table."""

from collections.abc import Sequence
from typing import Any

from pucut.judging.folds import LABELS_TO_TELL, n_pu_folds
from pucut.judging.scorers import FINAL_TREES, SCORE_NEIGHBORS, TREES_OF_A_FOLD, tree_kinds
from pucut.judging.spaces import needs_labels
from pucut.methods.plan import Plan
from pucut.methods.pu_cut._candidates import (
    EMBEDDING_NEIGHBORS,
    names_of_scores,
    spaces_for,
    spaces_of_codes,
)
from pucut.methods.pu_cut._cuts import GAMMAS, n_cuts_at_once
from pucut.methods.pu_cut._preselection import SHARE_KEPT
from pucut.methods.pu_cut._self_training import MOST_ROUNDS

# Pre-selection and self-training pay from this many rows on, if a fold hides enough labels to tell.
FEWEST_ROWS = 20_000
# The gradient space is learned from at least this many labels for each column, and for at most this
# many columns: from fewer labels it is noise, and for more columns it costs more than it gains.
LABELS_PER_GRADIENT, MOST_GRADIENT_COLUMNS = 10, 100


def plan_of_fit(
    n_rows: int,
    n_features: int,
    value_bytes: int,
    *,
    n_labelled: int | None,
    n_positive: int,
    n_groups: int | None = None,
    feature_weights: Any,
    n_neighbors: Sequence[int] | None,
    embeddings: Sequence[Any],
    has_codes: bool = False,
    n_threads: int,
    **sizes: Any,
) -> Plan:
    """Plan a fit; without `n_labelled` there are many labels.

    `n_groups` is the number of groups of copies among the labelled rows. `has_codes` counts columns
    tried as categories, which nobody knows of before the table is read, and supplied learners are
    not counted, since nobody knows what they take.
    """
    n_labels, n_folds = n_rows, 1
    if n_labelled is not None:
        n_labels, n_folds = n_labelled, n_pu_folds(n_labelled, n_positive, n_groups)
    is_large = n_rows >= FEWEST_ROWS and n_labels >= LABELS_TO_TELL
    enough = LABELS_PER_GRADIENT * n_features
    has_gradients = 2 <= n_features <= MOST_GRADIENT_COLUMNS and n_labels >= enough and n_folds == 1
    spaces = [
        *spaces_for(feature_weights, has_gradients=has_gradients),
        *(spaces_of_codes(n_rows) if has_codes else ()),
    ]
    ks = [k for kind in spaces for k in (n_neighbors or [kind.n_neighbors])]
    ks += [k for _ in embeddings for k in (n_neighbors or [EMBEDDING_NEIGHBORS])]
    # Where labels make a space, each fold has its own; one fold shares its importances.
    searches = [n_folds + 1 if kind.from_labels and n_folds > 1 else 1 for kind in spaces]
    own = [n_folds + 1 if needs_labels(each) else 1 for each in embeddings]
    searches += own
    n_kinds, n_encodings = len(ks) * len(GAMMAS), 1 + has_codes
    n_kinds_of_trees = len(tree_kinds(1)) * n_encodings
    n_scores = len(names_of_scores([""] * len(searches), has_codes=has_codes)) + is_large
    n_gradients = sum(kind.needs_gradients for kind in spaces)
    is_preselected = is_large and len(spaces) > 1 and not embeddings
    return Plan(
        "pucut",
        n_rows,
        n_features,
        value_bytes,
        n_threads=n_threads,
        listed=min(max(SCORE_NEIGHBORS, *ks), n_rows - 1),
        graph_neighbors=max(ks),
        n_searches=sum(searches),
        n_embeddings=sum(own) + n_gradients + has_codes,
        n_graphs=max(searches),
        n_folds=n_folds,
        n_forests=(FINAL_TREES + TREES_OF_A_FOLD * n_folds) * n_kinds_of_trees,
        # Leaves are larger than those of 2-HNC, so that trees are half as large.
        n_forests_kept=FINAL_TREES * n_kinds_of_trees / 2,
        n_scores=n_scores,
        n_kinds=n_kinds,
        n_cuts=n_kinds * (n_folds + 1),
        n_cuts_at_once=min(n_cuts_at_once(n_rows, n_threads), len(GAMMAS) * max(1, n_folds)),
        is_large=is_large,
        share_tried=SHARE_KEPT if is_preselected else 1.0,
        has_gradients=has_gradients,
        # Leaves are larger than those of 2-HNC, so that trees grow in less time.
        tree_seconds=0.4,
        n_rounds=MOST_ROUNDS * is_large,
        advice=", or use TwoHNCClassifier, which needs less",
        **sizes,
    )
