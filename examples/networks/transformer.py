"""An encoder block as in BERT: self-attention and a feed-forward network, each with a residual connection.

autoperf capture transformer.py:encoder --batch 1,8 --cases-file encoder.ndjson
"""

import math

from mxnet.gluon import HybridBlock, nn


class SelfAttention(HybridBlock):
    """Attention of each place to each other, on (batch, length, width)."""

    def __init__(self, width, heads):
        super().__init__()
        self._heads, self._scale = heads, 1 / math.sqrt(width // heads)
        with self.name_scope():
            self.query = nn.Dense(width, flatten=False)
            self.key = nn.Dense(width, flatten=False)
            self.value = nn.Dense(width, flatten=False)
            self.output = nn.Dense(width, flatten=False)

    def hybrid_forward(self, F, places):  # noqa: N803 - Gluon's name
        """The attended values."""
        query, key, value = (self._split(F, layer(places)) for layer in (self.query, self.key, self.value))
        weights = F.softmax(F.batch_dot(query, key, transpose_b=True) * self._scale)
        joined = F.batch_dot(weights, value).reshape((-1, self._heads, 0, 0), reverse=True)
        return self.output(F.transpose(joined, axes=(0, 2, 1, 3)).reshape((0, 0, -1)))

    def _split(self, F, places):  # noqa: N803 - Gluon's name
        """(batch, length, width) as (batch * heads, length, width / heads)."""
        heads = F.transpose(places.reshape((0, 0, self._heads, -1)), axes=(0, 2, 1, 3))
        return heads.reshape((-1, 0, 0), reverse=True)


class Encoder(HybridBlock):
    """Self-attention and a feed-forward network, each added to its input and normalised."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        with self.name_scope():
            self.attention = SelfAttention(width, heads)
            self.first = nn.LayerNorm()
            self.wide = nn.Dense(hidden, flatten=False)
            self.gelu = nn.GELU()
            self.narrow = nn.Dense(width, flatten=False)
            self.dropout = nn.Dropout(0.1)
            self.second = nn.LayerNorm()

    def hybrid_forward(self, F, places):  # noqa: ARG002, N803 - Gluon's signature
        """The block's output, of the shape of its input."""
        attended = self.first(places + self.dropout(self.attention(places)))
        return self.second(attended + self.dropout(self.narrow(self.gelu(self.wide(attended)))))


def encoder():
    """One block of BERT base, on 128 places."""
    return Encoder(768, 12, 3072), {"places": "Nx128x768"}
