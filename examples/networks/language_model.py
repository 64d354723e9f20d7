"""A language model: words, two LSTM layers, and the next word's scores.

autoperf capture language_model.py:small --batch 1,32 --cases-file language.ndjson
"""

from mxnet.gluon import HybridBlock, nn, rnn


class LanguageModel(HybridBlock):
    """Words as numbers, (length, batch), to scores of shape (length, batch, vocabulary)."""

    def __init__(self, vocabulary, width, layers):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(vocabulary, width)
            self.lstm = rnn.LSTM(width, layers, dropout=0.5)
            self.decoder = nn.Dense(vocabulary, flatten=False)

    def hybrid_forward(self, F, words):  # noqa: ARG002, N803 - Gluon's signature
        """The scores of each place's next word."""
        return self.decoder(self.lstm(self.embedding(words)))


def small():
    """The sizes of the small model of Zaremba et al., 2014."""
    return LanguageModel(10000, 200, 2), {"words": "35xN:integers(0, 10000)"}
