"""uPU: the unbiased estimate of the risk."""

from collections.abc import Callable
from typing import Any

from torch import nn

from pucut.methods.neural._base import _NeuralPUClassifier
from pucut.methods.neural._networks import (
    HIDDEN_LAYER_SIZES,
)


class UPUClassifier(_NeuralPUClassifier):
    """A network that minimises the unbiased estimate of the risk from positive and unlabelled rows.

    uPU of du Plessis, Niu and Sugiyama (NIPS 2014, ICML 2015). Flexible networks overfit this
    estimate, which falls below 0; see `NNPUClassifier`. Known negatives enter the risk as in Sakai,
    du Plessis, Niu and Sugiyama (ICML 2017).

    Parameters
    ----------
    network : "auto", "mlp", "cnn", nn.Module or callable, default="auto"
        The perceptron of six layers or, for images (`image_shape`), the convolutional network of
        thirteen; or any other that gives one number per row: a module, trained from its current
        weights, or a function that makes one for a number of inputs. A given module is copied.
    prior : float or "auto", default="auto"
        Fraction of positives among all samples given to `fit`, labelled and unlabelled; "auto"
        estimates it (see `prior_estimate_`).
    loss : {"sigmoid", "logistic"}, default="sigmoid"
        The logistic loss is not bounded; with it the risk of uPU has no lower bound.
    hidden_layer_sizes : sequence of int, default=(300, 300, 300, 300, 300)
        Of the perceptron; each layer is normalised over the batch.
    activation : {"relu", "softsign"}, default="relu"
        The papers use Softsign for texts.
    image_shape : (channels, height, width), optional
        Rows are flattened images, channels first.
    learning_rate, weight_decay : float, default=3e-4 and 0
        Of Adam.
    batch_size : int, default=256
        Unlabelled rows in a batch. Labelled ones are added, as many as are needed to pass over them
        equally often.
    max_epochs : int, default=100
        Passes over the unlabelled rows, at most.
    patience : int or None, default=10
        Training ends after this many epochs without improvement on the hidden positives.
    validation_share : float, default=0.1
        Share of the labelled rows, of copies all or none, that is hidden among the unlabelled, to
        see after which epoch the network finds most of them; the weights of that epoch are kept. If
        that is less than one row, and with 0, the last weights are kept.
    unlabelled_includes_labelled : bool, default=True
        Whether the unlabelled set of the risk is all rows, as if some rows of one sample were
        labelled, or only the rows without a label.
    threshold : {"prior", "half"}, default="prior"
        `predict` says positive above the score that the prior's share of the training rows
        exceeds; or, as the method's authors do, above 0.
    pos_label : value of y, optional
        The value that means labelled positive, if it is not what `y` itself says.
    neg_label : value of y, optional
        The value that means known negative; all values but these two then mean unlabelled.
    device : str or torch.device, default="auto"
        Where to train; "auto" is a GPU if PyTorch finds one that it can use through CUDA. Fitted
        classifiers are kept on the CPU, and predict on this device if there is one like it.
    verbose : int, default=0
        1 prints the steps, 2 the epochs too.
    random_state : int, RandomState instance or None, default=None
        For the weights, the batches, the hidden positives and the estimate of the prior. PyTorch's
        own random state is neither used nor changed.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of y that means unlabelled or negative, then the one that means positive.
    network_ : nn.Module
        In evaluation mode, on the CPU; takes encoded rows.
    n_epochs_, best_epoch_ : int
        Epochs trained, and the one whose weights were kept, from 1.
    risk_curve_, validation_curve_ : float arrays of shape (`n_epochs_`,)
        Mean risk of the batches, and what decides on the best epoch: the share of the hidden
        positives found (a little more for a better mean rank), or, if `threshold` is "half",
        minus the risk with them as the labelled rows. NaN if none are hidden.
    prior_ : float
        The prior that was used.
    prior_estimate_ : PriorEstimate or None
        How the prior was estimated; None if it was given.
    scores_ : float array of shape (n_samples,)
        In-sample outputs of the network for the training rows.
    threshold_ : float
        The score above which a row is positive to `predict`.
    transduction_ : array of shape (n_samples,)
        Classes of the training rows: the labelled rows are positive, and as many of the best others
        as bring the share of positives to the prior, or those above 0.
    step_seconds_ : dict
        Seconds of each step of `fit`.
    n_features_in_ : int
    feature_names_in_ : array of shape (`n_features_in_`,)
        If X has names for all columns.

    Notes
    -----
    PyTorch adds up in an order that depends on the number of its threads and on the device: scores
    are the same bits for the same of both, and may differ a little otherwise.

    Columns are standardised, categories one-hot, missing values the mean (`pucut.data.encoding`);
    sparse matrices are scaled and made dense batch by batch. Images are scaled by channel.

    Threshold and probabilities come from in-sample scores of the training rows: scores from five
    folds, for six times the work, were no better overall (docs/design/tried.md).

    There is no `sample_weight`: the risk depends on shares of rows.
    """

    def __init__(
        self,
        network: str | nn.Module | Callable[[int], nn.Module] = "auto",
        *,
        prior: Any = "auto",
        loss: str = "sigmoid",
        hidden_layer_sizes: Any = HIDDEN_LAYER_SIZES,
        activation: str = "relu",
        image_shape: tuple[int, int, int] | None = None,
        learning_rate: float = 3e-4,
        weight_decay: float = 0.0,
        batch_size: int = 256,
        max_epochs: int = 100,
        patience: int | None = 10,
        validation_share: float = 0.1,
        unlabelled_includes_labelled: bool = True,
        threshold: str = "prior",
        pos_label: Any = None,
        neg_label: Any = None,
        device: Any = "auto",
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.network = network
        self.prior = prior
        self.loss = loss
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.image_shape = image_shape
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.patience = patience
        self.validation_share = validation_share
        self.unlabelled_includes_labelled = unlabelled_includes_labelled
        self.threshold = threshold
        self.pos_label = pos_label
        self.neg_label = neg_label
        self.device = device
        self.verbose = verbose
        self.random_state = random_state
