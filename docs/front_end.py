"""Writes docs/front-end.md: the benchmarks of the front end, and where each operation of the proposal is measured.

python docs/front_end.py            # --check: exits with 1 if the page is another
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from autoperf.core.operator import Registry
from autoperf.pipeline.release import open_release
from autoperf.registry.names import Names
from autoperf.reports.markdown import cells, heading
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.front_end_benchmarks.catalog import front_end_benchmarks_by_name

PAGE = Path(__file__).resolve().parent / "front-end.md"

# The proposal's appendix: the kind of operation, and its operations in MXNet's names or as users write them. A dash
# separates the name in the proposal from what it is called now.
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
    "randn=nd.random.randn randint=nd.random.randint shuffle=nd.random.shuffle",
    "Others": "clip where abs",
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
HEAD = """# Benchmarks of the front end

Some of what users call is no operator of the registry: a copy to NumPy, `x[1:-1] = y`, `x += y`, a metric, an
optimizer's step, the next batch of an iterator. These are *front-end benchmarks*, a category of their own:

    autoperf run --category front_end
    autoperf run --operator 'NDArray_getitem_*' --operator optimizer_Adam
    autoperf compare base.ndjson new.ndjson --category front_end

They run in the worker processes like operators, by the same clocks, with the same precision, reports and comparisons;
the workers import the package `mxnet` for them, which takes some seconds once in each process. Kernel time is that of
all kernels that the call starts, copies and fills included, and wall time has all its Python. There is no backward
pass, and no memory: that is measured in forks, each of which would have to import the package. They run on the CPU;
with `--ctx gpu(0)` they are skipped with that reason. The numbers of `autoperf discover` don't include them, and
`autoperf run` without a selection doesn't run them.

A release needs its Python package beside its library, as `pip install mxnet` and `autoperf releases install --package`
leave it. Releases that were installed without `--package` are libraries alone, so their cases are skipped with that
reason. MXNet's package wants names that NumPy took away in 1.24; the workers put them back, for themselves.

The proposal's Gluon layers are a category of their own, [`gluon`](layers.md), and so are its long-tail
[composites](composites.md). Its fused operators are [small networks](networks.md#fused-operators).

To add one, add a line to a module of `autoperf/rules/front_end_benchmarks/`.

## All benchmarks

Made by `python docs/front_end.py`, like the section after this one.
"""


def page(registry: Registry) -> str:
    """The text of docs/front-end.md."""
    parts = [HEAD, *_benchmarks(), "\n## The proposal's list of operations\n\n", *_operations(registry)]
    return "".join(parts)


def _benchmarks() -> Iterator[str]:
    modules = defaultdict(list)
    for entry in front_end_benchmarks_by_name().values():
        modules[entry.prepare.__module__.rpartition(".")[2]].append(entry)
    yield f"\n{sum(map(len, modules.values()))} benchmarks:\n\n"
    yield heading([("module", False), ("benchmark", False), ("call", False)])
    for module, entries in modules.items():
        for entry in entries:
            yield cells([module, entry.name, entry.call])


def _operations(registry: Registry) -> Iterator[str]:
    yield (
        "The operations that the proposal's appendix lists, with the operators and benchmarks that measure them on\n"
        f"MXNet {registry.mxnet}. `autoperf run --operator NAME` takes each of them.\n"
    )
    names = Names(registry, FRONT_END)
    for title, phase in (("Phase 1", PHASE_1), ("Phase 2", PHASE_2)):
        yield f"\n### {title}\n\n"
        yield heading([("kind", False), ("operation", False), ("measured as", False)])
        for kind, operations in phase.items():
            for entry in operations.split():
                operation, _, name = entry.partition("=")
                yield cells([kind, operation, ", ".join(_measured(names, name or operation))])


def _measured(names: Names, name: str) -> Iterable[str]:
    """The names of what measures an operation. Raises UnknownNameError if nothing does."""
    if name.endswith("*"):
        matches = [match.operator.name for match in names.matching(name)]
        kind = "layers" if name.startswith("gluon.") else "benchmarks"
        return [f"{len(matches)} {kind}: {name}"] if len(matches) > 4 else matches
    return [names.resolve(name).operator.name]


def main(arguments: Sequence[str]) -> int:
    """Writes the page, or with --check compares it."""
    with open_release() as release:
        text = page(release.registry)
    if "--check" in arguments:
        return int(PAGE.read_text() != text)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
