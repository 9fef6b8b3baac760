"""uPU: the unbiased estimate of the risk."""

from pucut.methods.neural._base import NeuralPUClassifier


class UPUClassifier(NeuralPUClassifier):
    """A network that minimises the unbiased estimate of the risk from positive and unlabelled rows.

    uPU of du Plessis, Niu and Sugiyama (NIPS 2014, ICML 2015). Flexible networks overfit this
    estimate, which falls below 0; see `NNPUClassifier`. Known negatives enter the risk as in Sakai,
    du Plessis, Niu and Sugiyama (ICML 2017).

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
