"""The patterns that oneDNN and hybridization fuse, each as a network of its own.

autoperf capture fusions.py:convolution_relu fusions.py:dense_relu --cases-file fusions.ndjson
"""

from mxnet.gluon import HybridBlock, nn

IMAGES = {"data": "1x64x56x56"}
ROWS = {"data": "64x1024"}
CHANNELS = 64


class Residual(HybridBlock):
    """A convolution added to its input, then relu."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.convolution = _convolution()

    def hybrid_forward(self, F, data):  # noqa: N803 - Gluon's name
        """Activation of the sum."""
        return F.Activation(F.elemwise_add(self.convolution(data), data), act_type="relu")


class Chain(HybridBlock):
    """Elementwise operators, one after the other."""

    def hybrid_forward(self, F, data):  # noqa: N803 - Gluon's name
        """Sigmoid of a few sums and products."""
        return F.sigmoid(F.sqrt(F.abs(data * 2 + 1)) * data - 3)


def convolution_relu():
    """Conv+ReLU."""
    return _sequence(_convolution(), nn.Activation("relu")), IMAGES


def convolution_batch_norm():
    """Conv+BatchNorm."""
    return _sequence(_convolution(), nn.BatchNorm()), IMAGES


def convolution_batch_norm_relu():
    """Conv+BatchNorm+ReLU."""
    return _sequence(_convolution(), nn.BatchNorm(), nn.Activation("relu")), IMAGES


def convolution_add_relu():
    """Conv+add+ReLU."""
    return Residual(), IMAGES


def dense_relu():
    """FullyConnected+ReLU."""
    return _sequence(nn.Dense(1024), nn.Activation("relu")), ROWS


def dense_sigmoid():
    """FullyConnected+sigmoid."""
    return _sequence(nn.Dense(1024), nn.Activation("sigmoid")), ROWS


def batch_norm_relu():
    """BatchNorm+ReLU."""
    return _sequence(nn.BatchNorm(), nn.Activation("relu")), IMAGES


def elementwise_chain():
    """Elementwise operators, which a graph fuses on GPUs only."""
    return Chain(), ROWS


def _convolution():
    return nn.Conv2D(CHANNELS, 3, padding=1, use_bias=False)


def _sequence(*layers):
    net = nn.HybridSequential()
    net.add(*layers)
    return net
