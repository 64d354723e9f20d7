"""The operations that the design of MXNet's operator benchmarks lists, by kind, and the operators that measure each.

An entry is `NAME=MEASURED`: the operation's name in the design, and the operator, front-end benchmark or layer that
measures it, or a glob of several. A name alone stands for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

PHASE_1: Mapping[str, str] = {
    "Precision and conversion": "copy=NDArray_copy copyto=NDArray_copyto as_in_context=NDArray_as_in_context "
    "asnumpy=NDArray_asnumpy asscalar=NDArray_asscalar astype=NDArray_astype",
    "Creation": "zeros=nd_zeros zeros_like ones=nd_ones ones_like full=nd_full arange=nd_arange",
    "Shape change": "transpose shape_array size_array reshape reshape_like flatten=Flatten expand_dims split "
    "diag tile pad",
    "Reduction": "sum nansum prod nanprod mean max min norm",
    "Sorting and searching": "sort argsort topk argmax argmin argmax_channel",
    "Arithmetic": "add=nd.add sub=nd.subtract neg=negative mul=nd.multiply div=nd.divide mod=nd.modulo pow=nd.power",
    "Arithmetic in place": "iadd=NDArray_iadd isub=NDArray_isub imul=NDArray_imul idiv=NDArray_itruediv "
    "imod=NDArray_imod",
    "Comparison": "lesser=nd.lesser lesser_equal=nd.lesser_equal greater=nd.greater greater_equal=nd.greater_equal "
    "equal=nd.equal not_equal=nd.not_equal",
    "Indexing": "get_item=NDArray_getitem_* set_item=NDArray_setitem_* slice slice_axis take batch_take pick one_hot",
    "Exponents and logarithms": "exp log",
    "Powers": "sqrt square",
    "Join and split": "concat=Concat split=SliceChannel stack",
    "GEMM": "dot batch_dot",
    "Random sampling": "normal=nd.random.normal poisson=nd.random.poisson uniform=nd.random.uniform "
    "random=nd.random.uniform randn=nd.random.randn randint=nd.random.randint shuffle=nd.random.shuffle",
    "Others": "clip where abs",
    "Custom operators": "Custom",
    "Gluon: basic": "Dense=gluon.nn.Dense Lambda=gluon.nn.Lambda Flatten=gluon.nn.Flatten "
    "Embedding=gluon.nn.Embedding Dropout=gluon.nn.Dropout BatchNorm=gluon.nn.BatchNorm",
    "Gluon: convolutions": "Conv1D=gluon.nn.Conv1D Conv2D=gluon.nn.Conv2D Conv1DTranspose=gluon.nn.Conv1DTranspose "
    "Conv2DTranspose=gluon.nn.Conv2DTranspose",
    "Gluon: pooling": "MaxPool1D=gluon.nn.MaxPool1D MaxPool2D=gluon.nn.MaxPool2D AvgPool1D=gluon.nn.AvgPool1D "
    "AvgPool2D=gluon.nn.AvgPool2D GlobalMaxPool1D=gluon.nn.GlobalMaxPool1D GlobalMaxPool2D=gluon.nn.GlobalMaxPool2D "
    "GlobalAvgPool1D=gluon.nn.GlobalAvgPool1D GlobalAvgPool2D=gluon.nn.GlobalAvgPool2D",
    "Gluon: activations": "LeakyRelu=gluon.nn.LeakyReLU PRelu=gluon.nn.PReLU Sigmoid=gluon.nn.Activation "
    "Softmax=softmax Log_Softmax=log_softmax Activation=gluon.nn.Activation",
    "Gluon: recurrent": "RNN=gluon.rnn.RNN LSTM=gluon.rnn.LSTM GRU=gluon.rnn.GRU RNNCell=gluon.rnn.RNNCell "
    "LSTMCell=gluon.rnn.LSTMCell GRUCell=gluon.rnn.GRUCell SequentialRNNCell=gluon.rnn.SequentialRNNCell "
    "BidirectionalCell=gluon.rnn.BidirectionalCell",
    "Gluon: losses": "L1Loss=gluon.loss.L1Loss L2Loss=gluon.loss.L2Loss "
    "SigmoidBinaryCrossEntropyLoss=gluon.loss.SigmoidBinaryCrossEntropyLoss "
    "SoftmaxCrossEntropyLoss=gluon.loss.SoftmaxCrossEntropyLoss KLDivLoss=gluon.loss.KLDivLoss "
    "HuberLoss=gluon.loss.HuberLoss HingeLoss=gluon.loss.HingeLoss SquaredHingeLoss=gluon.loss.SquaredHingeLoss "
    "LogisticLoss=gluon.loss.LogisticLoss TripletLoss=gluon.loss.TripletLoss CTCLoss=gluon.loss.CTCLoss",
}
PHASE_2: Mapping[str, str] = {
    "Sparse": "tostype=NDArray_tostype_*",
    "View": "swapaxes=SwapAxis flip=reverse depth_to_space space_to_depth",
    "Rounding": "round rint fix floor ceil trunc",
    "Trigonometric": "sin cos tan arcsin arccos arctan degrees radians sinh cosh tanh arcsinh arccosh arctanh",
    "Exponents and logarithms": "expm1 log10 log2 log1p",
    "Logical": "logical_and=nd.logical_and logical_or=nd.logical_or logical_xor=nd.logical_xor logical_not",
    "Powers": "rsqrt cbrt rcbrt reciprocal",
    "Random": "exponential=nd.random.exponential gamma=nd.random.gamma "
    "generalized_negative_binomial=nd.random.generalized_negative_binomial multinomial=nd.random.multinomial "
    "negative_binomial=nd.random.negative_binomial",
    "Sequence": "SequenceLast SequenceMask SequenceReverse",
    "Others": "unravel_index ravel_multi_index",
    "Image APIs": "image_* transforms_*",
    "Data APIs": "io_* gluon_DataLoader*",
    "Metric APIs": "metric_*",
    "Initializers and optimizers": "init_* optimizer_*",
    "Gluon: basic": "HybridLambda=gluon.nn.HybridLambda InstanceNorm=gluon.nn.InstanceNorm "
    "LayerNorm=gluon.nn.LayerNorm",
    "Gluon: convolutions": "Conv3D=gluon.nn.Conv3D Conv3DTranspose=gluon.nn.Conv3DTranspose",
    "Gluon: pooling": "MaxPool3D=gluon.nn.MaxPool3D AvgPool3D=gluon.nn.AvgPool3D "
    "GlobalMaxPool3D=gluon.nn.GlobalMaxPool3D GlobalAvgPool3D=gluon.nn.GlobalAvgPool3D",
    "Gluon: activations": "Elu=gluon.nn.ELU Selu=gluon.nn.SELU Swish=gluon.nn.Swish",
    "Gluon: recurrent": "ZoneOutCell=gluon.rnn.ZoneoutCell ResidualCell=gluon.rnn.ResidualCell "
    "DropoutCell=gluon.rnn.DropoutCell",
    "Gluon: losses": "CosineEmbeddingLoss=gluon.loss.CosineEmbeddingLoss PoissonNLLLoss=gluon.loss.PoissonNLLLoss",
    "Gluon: contrib": "contrib.nn=gluon.contrib.nn.* contrib.rnn=gluon.contrib.rnn.* contrib.cnn=gluon.contrib.cnn.*",
}


class DesignOperation(NamedTuple):
    """An operation by its name in the design, and the name of the operator, benchmark or layer that measures it."""

    name: str
    measured: str


def operations(entries: str) -> Iterator[DesignOperation]:
    """The operations of a kind."""
    for entry in entries.split():
        name, _, measured = entry.partition("=")
        yield DesignOperation(name, measured or name)
