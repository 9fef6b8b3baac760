"""2-HNC as a scikit-learn classifier; its stages are functions of the modules above."""

import numbers
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from pucut._support.checks import FloatArray
from pucut._support.constraints import PRIOR_CONSTRAINTS
from pucut._support.memory import available_memory, checked_memory_limit
from pucut.calibration import calibrate
from pucut.cuts.inductive import nearness, objective_threshold, share_of_similarity
from pucut.cuts.selection import choose_n_neighbors, closest_partition
from pucut.cuts.two_stages import Partition, TwoStages, reached_from, two_stage_cuts
from pucut.dask import (
    PartitionedSpace,
    Partitions,
    checked_method,
    is_collection,
    labels_here,
    lazy_scores,
    read_partitions,
    scores_by,
    space_on_workers,
)
from pucut.data.arrow import is_arrow
from pucut.data.encoding import learn_encoding
from pucut.data.labels import PULabels
from pucut.data.sizes import size_of_table
from pucut.graphs.neighbors import nearest_neighbors
from pucut.methods._base import PUClassifier, check_columns
from pucut.methods._size import FitEstimate, check_fits, estimate_fit
from pucut.methods._steps import CallbackSupportMixin, FitSteps, with_callbacks
from pucut.methods.pu_cut._choosing import Automatic, fit_automatic
from pucut.methods.two_hnc._spaces import (
    DistanceSpace,
    ForestSpace,
    PointSpace,
    SimilaritySpace,
    Space,
    largest_similarities,
    row_sums,
)
from pucut.priors.estimate import MAX_ROWS
from pucut.scores.thresholds import positives_by_prior, threshold_for_share
from pucut.trees.feature_weights import (
    FOREST_WEIGHTS,
    options_of_weighing_trees,
    weighted,
    weights_of_kind,
)
from pucut.trees.forest import Forest, forest_apply, grow_forest, proximity_neighbors

# The searches for neighbours whose need of memory is known.
OWN_SEARCHES = ("auto", "exact", "approximate")
# Fits that need less are tried without a look at what the machine has.
ALWAYS_TRIED = 1 << 30
# The paper's numbers of neighbours and width of the kernel change at this number of samples.
LARGE = 10_000
SMALL_SETTINGS = ((5, 10, 15), 0.75)
LARGE_SETTINGS = ((5,), 0.25)


class TwoHNCClassifier(CallbackSupportMixin, PUClassifier):
    """2-HNC: positive-unlabelled classification by two families of nested minimum cuts.

    Hochbaum and Nitayanont. Rows are the nodes of a graph of nearest neighbours. Stage 1 cuts it
    for every tradeoff lambda, with the labelled rows fixed on the positive side; the order in which
    the others leave that side ranks them, and the first to leave are taken for negatives. Stage 2
    cuts it again with both kinds of rows fixed. Of all partitions of both stages the one is taken
    whose share of positives is closest to the prior. That is `preset="paper"`.

    `preset="auto"` goes further on the same cuts. Scores of PU trees, of kernel regression and of
    neighbours, none of them learned by heart, pull every row towards a side as the labelled rows
    do; the cuts for all lambda then smooth the scores along the graph. Graphs in several spaces and
    several strengths of the pull are compared by how many positives they find that were hidden
    from them, and mixed by it. No negative label is needed, and there is nothing to tune.

    Parameters
    ----------
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled; "auto"
        estimates it (see `prior_estimate_`). Among the unlabelled alone the fraction is smaller.
    preset : {"auto", "paper"}, default="auto"
        "auto": chooses as said above; see `selection_`. "paper": one graph, as published.
    feature_weights : {"auto", "pu_trees", "pu_trees_squared"}, array of shape (n_features,) or \
None, default="auto"
        How much each feature counts in a distance: its importance in PU Extra Trees, the square of
        it, given weights, or all the same (None). "auto" is "pu_trees" for preset "paper", and a
        space for each of the three for preset "auto". An array has a weight for each encoded
        feature (see Notes).
    n_neighbors : int or list of int, optional
        By default, for preset "paper": 5, 10 and 15 for fewer than 10 000 samples, else 5; of
        several, the largest is taken whose partition is within 2 % of the prior, else the one that
        comes closest. For preset "auto": 5, or 10 where all features count the same; several are
        compared. At most the number of other samples.
    sigma : float, optional
        Width of the kernel exp(-d^2 / (2 sigma^2 H)), with H the number of features. By default,
        for preset "paper": 0.75 for fewer than 10 000 samples, else 0.25. For preset "auto": from
        the median distance to the seventh neighbour.
    similarity : {"gaussian", "forest", "precomputed"}, default="gaussian"
        The last two need preset "paper".
        "gaussian": the kernel of weighted distances. "forest": the share of PU trees in which two
        rows meet in one leaf. "precomputed": X is the symmetric matrix of the similarities of all
        rows, best sparse; `predict` then takes similarities to the rows of `fit`.
    neighbors : {"auto", "exact", "approximate", "torch", "dask", "precomputed"} or transformer, \
default="auto"
        How neighbours are found. "auto": exactly where that is fast, else approximately, with the
        recall in `neighbor_recall_`. "torch": exactly, by PyTorch, on a GPU if there is one. A
        scikit-learn transformer such as KNeighborsTransformer works on the weighted features.
        "precomputed": X is a sparse graph of distances, as in scikit-learn's NearestNeighbors;
        there are no features then, and H counts as 1. Needs preset "paper".
        "dask": as "auto", on the workers of the current Dask client, where encoding and trees are
        done too, as always where X is a Dask array or DataFrame. Needs preset "paper".
    lambda_grid : array of float, optional
        Values of lambda to which the partitions are limited, rising; np.arange(501) / 1000 is the
        paper's. By default all partitions, which are found exactly. Needs preset "paper".
    inductive : {"objective", "nearest"}, default="objective"
        How `predict` answers: by the side that changes the objective least, or the nearer side.
        "nearest" needs preset "paper".
    n_estimators : int, default=100
        Number of PU trees, where any are needed.
    pos_label : value of y, optional
        The value that means labelled positive, where it is not the larger of the two.
    n_jobs : int, optional
        Number of threads; results do not depend on it. None is 1 and -1 is all processors.
    memory_limit : int or str, optional
        Bytes that `fit` may take beside X, as a number or as a text such as "8GB"; None is what the
        machine has. Less memory makes the search for neighbours slower and changes no result. Where
        a fit cannot do with so much it is refused before it starts, with the need of each stage;
        see `estimate`.
    random_state : int, RandomState instance or None, default=None
        For the trees, for approximate neighbours and for the estimate of the prior.
    verbose : int, default=0
        1 prints the estimate of time and memory, each step of `fit`, and a table of their times.
        Callbacks of scikit-learn, such as its progress bar, are told of the steps where that
        version has them.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of y that means unlabelled or negative, then the one that means positive.
    transduction_ : array of shape (n_samples,)
        Classes of the rows of `fit`. Preset "paper": the chosen partition, the cut itself. Preset
        "auto": the labelled rows, and as many of the best others as the prior says.
    scores_ : float array of shape (n_samples,)
        Positive or 0 on the positive side. Preset "paper": how far in lambda the row is from
        changing side. Preset "auto": its rank in the mixture, from 0 to 1, less that at which the
        sides meet.
    selection_ : tuple of Candidate
        Preset "auto" only: every score and every cut that was tried, the hidden positives it
        found, its weight, and why.
    negative_ranking_ : int array
        The unlabelled rows, most likely negative first: by stage 1, or by `scores_` for preset
        "auto".
    likely_negative_ : int array
        The first of stage 1, which stage 2 took for negatives.
    stage1_, stage2_ : CutPath
        All minimum cuts of both stages; their nodes are the rows of `fit`. Preset "auto": those of
        `graph_`, to look at; the classes come from the mixture.
    partition_ : Partition
        Of the two stages the one whose share of positives is closest to the prior: its stage,
        lambda and levels.
    positive_fraction_ : float
        The share of positives in `transduction_`.
    prior_ : float
        The prior that was used.
    prior_estimate_ : PriorEstimate or None
        How the prior was estimated; None where it was given.
    n_neighbors_ : int
        The number of neighbours of `graph_`.
    sigma_ : float
        The width of the kernel of `graph_`.
    feature_weights_ : float array of shape (n_encoded_features,)
        They sum to the number of features.
    forest_ : Forest or None
        The PU trees, where any were needed.
    graph_ : CSR array of shape (n_samples, n_samples)
        Similarities of neighbours. Preset "auto": of the cut with most weight.
    neighbor_recall_ : float
        Share of the true nearest neighbours that were found; 1 where the search was exact.
    n_unreached_ : int
        Rows in parts of the graph without any label. The cut says nothing of these; they come
        first in the ranking, the farthest from the labelled rows foremost, so that the prior
        decides how many of them are positive.
    step_seconds_ : dict
        Where the time of `fit` went.
    n_features_in_ : int
    feature_names_in_ : array of shape (`n_features_in_`,)
        Where X has names for all columns.

    Notes
    -----
    Columns of numbers are standardised. Columns of strings and of category types become one
    feature for each value, standardised too. Missing values count as the mean.

    `predict` on the rows of `fit` says what the inductive rule says; `transduction_` is the cut.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "prior": PRIOR_CONSTRAINTS,
        "preset": [StrOptions({"auto", "paper"})],
        "feature_weights": [StrOptions({"auto", *FOREST_WEIGHTS}), "array-like", None],
        "n_neighbors": [Interval(numbers.Integral, 1, None, closed="left"), "array-like", None],
        "sigma": [Interval(numbers.Real, 0.0, None, closed="neither"), None],
        "similarity": [StrOptions({"gaussian", "forest", "precomputed"})],
        "neighbors": [
            StrOptions({"auto", "exact", "approximate", "torch", "dask", "precomputed"}),
            HasMethods(["fit_transform"]),
        ],
        "lambda_grid": ["array-like", None],
        "inductive": [StrOptions({"objective", "nearest"})],
        "n_estimators": [Interval(numbers.Integral, 1, None, closed="left")],
        "pos_label": "no_validation",
        "n_jobs": [numbers.Integral, None],
        "memory_limit": [numbers.Real, str, None],
        "random_state": ["random_state"],
        "verbose": [Interval(numbers.Integral, 0, None, closed="left"), "boolean"],
    }

    def __init__(
        self,
        *,
        prior: Any = "auto",
        preset: str = "auto",
        feature_weights: Any = "auto",
        n_neighbors: Any = None,
        sigma: float | None = None,
        similarity: str = "gaussian",
        neighbors: Any = "auto",
        lambda_grid: Any = None,
        inductive: str = "objective",
        n_estimators: int = 100,
        pos_label: Any = None,
        n_jobs: int | None = None,
        memory_limit: Any = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.prior = prior
        self.preset = preset
        self.feature_weights = feature_weights
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.similarity = similarity
        self.neighbors = neighbors
        self.lambda_grid = lambda_grid
        self.inductive = inductive
        self.n_estimators = n_estimators
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self._is_pairwise()
        tags.input_tags.sparse = True
        tags.input_tags.categorical = not self._is_pairwise()
        tags.input_tags.string = not self._is_pairwise()
        tags.input_tags.pairwise = self._is_pairwise()
        return tags

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Builds the graph, solves both families of cuts and chooses the partition.

        Parameters
        ----------
        X : array-like, data frame, sparse matrix, Dask array or Dask DataFrame, of shape \
(n_samples, n_features)
            Or a table or dataset of pyarrow, or the path of a Parquet file or of a folder of such
            files, which are then read in the order of their names. Memory-mapped arrays are read
            by blocks.
        y : array-like, Dask array or Dask Series of shape (n_samples,)
            Two values, the larger (or `pos_label`) for labelled positives and the other for
            unlabelled rows; missing values mean unlabelled too.
        """
        if self.preset == "auto":
            self._check_preset()
        # What was read from a file belongs to nobody else, and its memory is used again.
        self._may_replace_X = is_arrow(X)
        X = self._partitioned(X) if self._is_for_dask(X) else self._checked(X, reset=True)
        labels = self._read_labels(labels_here(y), X.shape[0])
        self._search_bytes = None if isinstance(X, Partitions) else self._checked_size(X)
        if self.preset == "auto":
            steps = FitSteps(self, n_steps=7, verbose=int(self.verbose))
            self._fit_automatic(X, labels, steps)
        else:
            steps = FitSteps(self, n_steps=6, verbose=int(self.verbose))
            self._fit_paper(X, labels, steps)
        steps.finish()
        self.step_seconds_ = steps.seconds
        return self

    def estimate(self, X: Any) -> FitEstimate:
        """What `fit` on X would take, in time and memory, by stage; X is not read.

        Parameters
        ----------
        X : array, data frame, path or table of pyarrow as for `fit`, or a pair (n_rows, n_features)
            A pair stands for values of double precision.
        """
        shape, value_bytes = size_of_table(X)
        ks = self._numbers_of_neighbors(shape[0])
        return estimate_fit(
            *shape,
            preset=self.preset,
            n_neighbors=None if ks is None else max(ks),
            n_estimators=self.n_estimators,
            value_bytes=value_bytes,
            n_threads=self._n_threads(),
            memory_limit=checked_memory_limit(self.memory_limit),
        )

    def _checked_size(self, X: Any) -> int | None:
        """Refuses what cannot fit, and says what the search for neighbours may hold.

        What is known of the need is that of dense tables and of the searches of this package.
        """
        limit = checked_memory_limit(self.memory_limit)
        is_own_search = isinstance(self.neighbors, str) and self.neighbors in OWN_SEARCHES
        if sp.issparse(X) or not is_own_search or self.similarity != "gaussian":
            return None
        needed = self.estimate(X)
        if self.verbose:
            print(needed, flush=True)
        if limit is not None:
            check_fits(needed, limit, is_given=True)
            return needed.search_bytes
        free = available_memory() if needed.bytes > ALWAYS_TRIED else None
        if free is not None:
            check_fits(needed, free, is_given=False)
        return None

    def _fit_paper(self, X: Any, labels: PULabels, steps: FitSteps) -> None:
        grid = self._checked_grid()
        n_samples = X.shape[0]
        given = (SMALL_SETTINGS if n_samples < LARGE else LARGE_SETTINGS)[0]
        ks = self._numbers_of_neighbors(n_samples) or sorted({min(k, n_samples - 1) for k in given})
        with steps.step("prior"):
            self._settle_prior_of_rows(X, labels)
        self._space = self._make_space(X, labels, max(ks), steps)
        stages: dict[int, TwoStages] = {}
        partitions: dict[int, Partition] = {}
        # Graphs are built when they are needed; the last one stays, since most fits need only one.
        graph_of = lru_cache(maxsize=1)(self._space.graph)
        with steps.step("cuts"):
            remoteness = self._remoteness(graph_of(min(ks)), labels)
            for k in ks:
                stages[k] = two_stage_cuts(
                    graph_of(k),
                    labels.is_labelled,
                    self.prior_,
                    remoteness=remoteness,
                    lambda_grid=grid,
                    n_threads=self._n_threads(),
                )
                partitions[k] = closest_partition(stages[k], self.prior_, grid)
        with steps.step("answers"):
            self.n_neighbors_ = choose_n_neighbors(partitions, self.prior_)
            self.graph_ = graph_of(self.n_neighbors_)
            partition = partitions[self.n_neighbors_]
            self._keep_stages(stages[self.n_neighbors_], partition)
            self.neighbor_recall_ = self._space.recall
            self._settle_partition(partition, labels)

    def _fit_automatic(self, X: Any, labels: PULabels, steps: FitSteps) -> None:
        is_labelled = labels.is_labelled
        with steps.step("prior"):
            self._settle_prior(X, labels)
        with steps.step("encoding"):
            self._encoding, points = learn_encoding(X, in_place=self._may_replace_X)
        self._automatic = fit_automatic(
            points,
            is_labelled,
            self.prior_,
            feature_weights=self.feature_weights,
            n_neighbors=self._numbers_of_neighbors(X.shape[0]),
            sigma=None if self.sigma is None else float(self.sigma),
            neighbors=self.neighbors,
            n_trees=self.n_estimators,
            random_state=self.random_state,
            n_threads=self._n_threads(),
            step=steps.step,
            most_bytes=self._search_bytes,
        )
        with steps.step("answers"):
            self._settle_automatic(self._automatic, labels)

    def _settle_automatic(self, automatic: Automatic, labels: PULabels) -> None:
        chosen, spaces = automatic.chosen, automatic.spaces
        self.selection_ = chosen.candidates
        self.forest_: Forest | None = automatic.forest
        best = chosen.best_cut
        space = spaces[0] if best is None else best.space
        self.n_neighbors_ = space.lists.n_neighbors if best is None else best.n_neighbors
        self.graph_ = space.graph(self.n_neighbors_)
        self.feature_weights_: FloatArray | None = space.weights
        self.sigma_ = float(np.sqrt(space.scale / len(space.weights)))
        self.neighbor_recall_ = min(each.lists.recall for each in spaces)
        stages = two_stage_cuts(
            self.graph_, labels.is_labelled, self.prior_, n_threads=self._n_threads()
        )
        self._keep_stages(stages, closest_partition(stages, self.prior_))
        is_positive = positives_by_prior(chosen.scores, labels, self.prior_)
        self.positive_fraction_ = float(is_positive.mean())
        self.transduction_ = labels.encode(is_positive)
        others = np.flatnonzero(~labels.is_labelled)
        share = (self.positive_fraction_ * labels.n_samples - labels.n_labelled) / len(others)
        self.scores_ = chosen.scores - threshold_for_share(chosen.scores[others], share)
        self.negative_ranking_ = others[np.argsort(chosen.scores[others], kind="stable")]
        self.threshold_ = threshold_for_share(chosen.left_out, self.prior_)
        self._calibration = calibrate(
            chosen.left_out, labels.is_labelled, self.prior_, half_at=self.threshold_
        )

    def gather(self) -> Self:
        """Brings the points of a fit on Dask into this process; then the model can be pickled."""
        check_is_fitted(self)
        if isinstance(self._space, PartitionedSpace):
            space = self._space
            self._space = PointSpace(
                space.encoding,
                space.weights,
                space.points.gathered(),
                space.lists,
                space.sigma,
                self._n_threads(),
            )
        return self

    def _score_rows(self, X: Any) -> Any:
        if is_collection(X):
            return self._lazy_scores(X)
        X = self._checked(X, reset=False)
        if self.preset == "auto":
            return self._automatic.scores(self._encoding.encode(X))
        is_positive = self.partition_.is_positive
        if self.inductive == "nearest":
            return nearness(*self._space.distances(X, is_positive))
        return share_of_similarity(*self._space.similarity(X, self.n_neighbors_, is_positive))

    def _lazy_scores(self, X: Any) -> Any:
        """A Dask array of scores of the rows of a Dask collection."""
        check_columns(self, X, reset=False)
        if self.preset == "paper" and isinstance(self._space, PartitionedSpace):
            is_positive = self.partition_.is_positive
            return lazy_scores(
                X, self._space.scores(self.inductive, self.n_neighbors_, is_positive)
            )
        return lazy_scores(X, scores_by(self._score_rows))

    def _keep_stages(self, stages: TwoStages, partition: Partition) -> None:
        self.partition_ = partition
        self.stage1_, self.stage2_ = stages.ranking.path, stages.path
        self.negative_ranking_ = stages.ranking.order
        self.likely_negative_ = stages.likely_negative
        self.n_unreached_ = int(np.count_nonzero(~stages.ranking.is_reached))

    def _settle_partition(self, partition: Partition, labels: PULabels) -> None:
        """Sets what is known of the rows of `fit`, and how new rows are answered."""
        is_positive = partition.is_positive
        self.positive_fraction_ = partition.positive_fraction
        self.transduction_ = labels.encode(is_positive)
        self.scores_ = partition.level - partition.cut
        # Each row of `fit` as if it were new, with its neighbours but without itself.
        if self.inductive == "nearest":
            self.threshold_ = 0.0
            scores = nearness(
                self._space.distance_of(largest_similarities(self.graph_, is_positive)),
                self._space.distance_of(largest_similarities(self.graph_, ~is_positive)),
            )
            isolated = np.diff(self.graph_.indptr) == 0
            scores[isolated] = np.where(is_positive[isolated], 1.0, -1.0)
        else:
            self.threshold_ = objective_threshold(partition)
            scores = share_of_similarity(
                row_sums(self.graph_, is_positive),
                row_sums(self.graph_, np.ones_like(is_positive)),
                is_positive.astype(np.float64),
            )
        self._calibration = calibrate(
            scores, labels.is_labelled, self.prior_, half_at=self.threshold_
        )

    def _make_space(self, X: Any, labels: PULabels, k: int, steps: FitSteps) -> Space:
        """Encodes, weighs and finds neighbours: what the graphs of all k are made from."""
        n_threads = self._n_threads()
        small = SMALL_SETTINGS if X.shape[0] < LARGE else LARGE_SETTINGS
        self.sigma_ = small[1] if self.sigma is None else float(self.sigma)
        if isinstance(X, Partitions):
            found = space_on_workers(
                X,
                labels.is_labelled,
                self.prior_,
                feature_weights=self._paper_weights(),
                n_neighbors=k,
                sigma=self.sigma_,
                neighbors=self.neighbors,
                n_trees=self.n_estimators,
                random_state=self.random_state,
                step=steps.step,
            )
            self.forest_, self.feature_weights_ = found.forest, found.space.weights
            return found.space
        if self.similarity == "precomputed":
            self.forest_ = self.feature_weights_ = None
            return SimilaritySpace(sp.csr_array(X, dtype=np.float64))
        if self.neighbors == "precomputed":
            self.forest_ = self.feature_weights_ = None
            with steps.step("neighbours"):
                return DistanceSpace(nearest_neighbors(X, k, sp.csr_array(X)), self.sigma_)
        with steps.step("encoding"):
            encoding, points = learn_encoding(X, in_place=self._may_replace_X)
        forest: Forest | None = None
        if isinstance(self._paper_weights(), str) or self.similarity == "forest":
            with steps.step("trees"):
                forest = grow_forest(
                    points,
                    labels.is_labelled,
                    self.prior_,
                    options_of_weighing_trees(X.shape[0]),
                    n_trees=self.n_estimators,
                    random_state=self.random_state,
                    n_threads=n_threads,
                )
        self.forest_ = forest
        self.feature_weights_ = weights = weights_of_kind(
            self._paper_weights(), forest, encoding.n_features
        )
        with steps.step("neighbours"):
            if forest is not None and self.similarity == "forest":
                leaves = forest_apply(forest, points, n_threads=n_threads)
                near = proximity_neighbors(forest, points, k, n_threads=n_threads)
                return ForestSpace(encoding, forest, leaves, near, n_threads)
            points = weighted(points, weights, in_place=True)
            lists = nearest_neighbors(
                points,
                k,
                self.neighbors,
                n_jobs=n_threads,
                random_state=self.random_state,
                most_bytes=self._search_bytes,
            )
        return PointSpace(
            encoding, weights, points, lists, self.sigma_, n_threads, self._search_bytes
        )

    def _is_for_dask(self, X: Any) -> bool:
        return is_collection(X) or (isinstance(self.neighbors, str) and self.neighbors == "dask")

    def _partitioned(self, X: Any) -> Partitions:
        """X in partitions on the workers, with the number and names of its columns checked."""
        for name, needed in (("preset", "paper"), ("similarity", "gaussian")):
            if getattr(self, name) != needed:
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}, which needs all rows in one process; on "
                    f"Dask {name} must be {needed!r}, or X one array and neighbors not 'dask'"
                )
        if self.memory_limit is not None:
            raise ValueError(
                f"memory_limit is {self.memory_limit!r}, but on Dask the workers have limits of "
                "their own: it must be None"
            )
        checked_method(self.neighbors)
        if is_collection(X):
            check_columns(self, X, reset=True)
            return read_partitions(X)
        return read_partitions(self._checked(X, reset=True))

    def _paper_weights(self) -> Any:
        given = self.feature_weights
        return "pu_trees" if isinstance(given, str) and given == "auto" else given

    def _remoteness(self, graph: sp.csr_array, labels: PULabels) -> FloatArray | None:
        """Fewest neighbours leave most rows unreached: all that can be for a larger k too."""
        is_lost = ~reached_from(graph, labels.is_labelled)
        if not is_lost.any():
            return None
        return self._space.remoteness(is_lost, labels.is_labelled)

    def _settle_prior_of_rows(self, X: Any, labels: PULabels) -> None:
        if self._is_pairwise() and isinstance(self.prior, str):
            raise ValueError(
                "prior is 'auto', which needs features, but X is precomputed: give a number"
            )
        # The estimate draws rows from larger tables; those are all that come from the workers.
        is_small = isinstance(X, Partitions) and X.shape[0] <= MAX_ROWS
        self._settle_prior(X.gathered() if is_small else X, labels)

    def _check_preset(self) -> None:
        """What describes one graph, or asks for the paper's cuts, has no meaning for "auto"."""
        for name, usual in (
            ("similarity", "gaussian"),
            ("inductive", "objective"),
            ("lambda_grid", None),
        ):
            given = getattr(self, name)
            if given is not usual and given != usual:
                raise ValueError(
                    f'{name} is {given!r}, which needs preset="paper"; preset is "auto", with '
                    f"which {name} must be {usual!r}"
                )
        if self._is_pairwise():
            raise ValueError(
                f'neighbors is {self.neighbors!r}, which needs preset="paper"; preset is "auto", '
                "which needs the features themselves"
            )

    def _numbers_of_neighbors(self, n_samples: int) -> list[int] | None:
        """The given numbers, rising and at most all other samples; None where none are given."""
        if self.n_neighbors is None:
            return None
        ks = np.unique(np.atleast_1d(self.n_neighbors))
        if ks.ndim != 1 or ks.dtype.kind not in "iu" or not len(ks) or ks[0] < 1:
            raise ValueError(
                "n_neighbors must be a whole number from 1 on, or several, found "
                f"{self.n_neighbors!r}"
            )
        return sorted({min(int(k), n_samples - 1) for k in ks})

    def _checked_grid(self) -> FloatArray | None:
        if self.lambda_grid is None:
            return None
        grid = np.asarray(self.lambda_grid, dtype=np.float64)
        if grid.ndim != 1 or not len(grid) or not (grid >= 0).all() or not (grid <= 1).all():
            raise ValueError(
                f"lambda_grid must hold numbers from 0 to 1, found {self.lambda_grid!r}"
            )
        if (np.diff(grid) <= 0).any():
            raise ValueError("lambda_grid must rise, found a value that does not exceed the last")
        return grid

    def _is_pairwise(self) -> bool:
        return self.similarity == "precomputed" or (
            isinstance(self.neighbors, str) and self.neighbors == "precomputed"
        )

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """X with the number and names of its columns checked."""
        if not self._is_pairwise():
            return self._checked_table(X, reset=reset)
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)
        if reset and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"X must be square, since it is precomputed, found {X.shape[0]} x {X.shape[1]}"
            )
        return X

    def _n_threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))
