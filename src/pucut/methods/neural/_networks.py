"""The networks of the papers on uPU and nnPU: a perceptron for tables and texts, one for images.

Each maps rows to one number: positive rows above 0. This file needs torch only.
"""

import math
from collections.abc import Sequence

from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "softsign": nn.Softsign}
# Six layers, including the output layer.
HIDDEN_LAYER_SIZES = (300, 300, 300, 300, 300)
SMALLEST_IMAGE = 4


def perceptron(
    n_features: int, hidden: Sequence[int] = HIDDEN_LAYER_SIZES, activation: str = "relu"
) -> nn.Module:
    """Make fully connected layers, all but the last with batch normalisation."""
    layers: list[nn.Module] = []
    for width in hidden:
        # The shift of the normalisation does what a bias would.
        layers += [nn.Linear(n_features, width, bias=False), nn.BatchNorm1d(width)]
        layers += [ACTIVATIONS[activation]()]
        n_features = width
    return nn.Sequential(*layers, nn.Linear(n_features, 1))


def convolutions(image_shape: tuple[int, int, int], activation: str = "relu") -> nn.Module:
    """Make the 13 layers of Kiryo et al. for CIFAR-10: 9 convolutions, then 1000, 1000, 1 units.

    Rows are flattened images, channels first; strides of 2 replace pooling.
    """
    channels, height, width = image_shape
    layers: list[nn.Module] = [nn.Unflatten(1, image_shape)]
    shapes = [(96, 3, 1), (96, 3, 1), (96, 3, 2), (192, 3, 1), (192, 3, 1), (192, 3, 2)]
    shapes += [(192, 3, 1), (192, 1, 1), (10, 1, 1)]
    for n_filters, size, stride in shapes:
        layers += [
            nn.Conv2d(channels, n_filters, size, stride, padding=size // 2, bias=False),
            nn.BatchNorm2d(n_filters),
            ACTIVATIONS[activation](),
        ]
        channels = n_filters
        height, width = math.ceil(height / stride), math.ceil(width / stride)
    top = perceptron(channels * height * width, (1000, 1000), activation)
    return nn.Sequential(*layers, nn.Flatten(), top)
