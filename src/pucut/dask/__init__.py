"""2-HNC on a Dask cluster: rows stay on the workers, lists of their neighbours come here."""

from pucut.dask.answers import classes_of, lazy_scores, probabilities_of, scores_by
from pucut.dask.choice import checked_method
from pucut.dask.engine import is_collection
from pucut.dask.partitions import Partitions, empty_piece, labels_here, read_partitions
from pucut.dask.space import PartitionedSpace
from pucut.dask.stages import space_on_workers

__all__ = [
    "PartitionedSpace",
    "Partitions",
    "checked_method",
    "classes_of",
    "empty_piece",
    "is_collection",
    "labels_here",
    "lazy_scores",
    "probabilities_of",
    "read_partitions",
    "scores_by",
    "space_on_workers",
]
