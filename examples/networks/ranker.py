"""Scores of candidates with a prior that some requests lack: a network of mx.np, as MXNet 1.6 to 1.9 have it.

autoperf upgrade ranker.py:scores --batch 32 --to 2.0.0b1
"""

import mxnet as mx
from mxnet.gluon import HybridBlock, nn


class Ranker(HybridBlock):
    """Probabilities of shape (batch, candidates) for features of shape (batch, candidates, width).

    The prior has a number for each candidate. Requests that the mask leaves out have another one for all.
    """

    def __init__(self, units):
        super().__init__()
        with self.name_scope():
            self.hidden = nn.Dense(units, activation="relu", flatten=False)
            self.score = nn.Dense(1, flatten=False)

    def hybrid_forward(self, F, features, mask, prior, other):  # noqa: N803 - Gluon's name
        """The softmax of scores and prior over the candidates."""
        scores = F.np.squeeze(self.score(self.hidden(features)), axis=-1)
        scores = scores + F.np.where(mask, prior, other)
        powers = F.np.exp(scores - F.np.max(scores, axis=-1, keepdims=True))
        return powers / F.np.sum(powers, axis=-1, keepdims=True)


def scores():
    """The network and its inputs."""
    mx.npx.set_np()
    inputs = {"features": "Nx64x128", "mask": "Nx1:mask(0.8)", "prior": "1x64", "other": "Nx1"}
    return Ranker(256), inputs
