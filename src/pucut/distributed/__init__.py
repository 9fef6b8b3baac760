"""2-HNC on a Dask cluster: rows stay on the workers, lists of their neighbours come here."""

from pucut.distributed.answers import classes_of, lazy_scores, probabilities_of, scores_by
from pucut.distributed.choice import checked_method
from pucut.distributed.engine import is_collection
from pucut.distributed.partitions import Partitions, empty_piece, labels_here, read_partitions
from pucut.distributed.space import PartitionedSpace
from pucut.distributed.stages import space_on_workers

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
