"""What cases take by arithmetic: the bytes of outputs and gradients, and of workspace where its size is known.

The workspaces are those of MXNet 1.9.1 on a CPU; a shape's indices are 4 bytes there, a pointer 8.
"""

from __future__ import annotations

from typing import NamedTuple


class Taken(NamedTuple):
    """The bytes of one pass; `workspace` None: it depends on the processor, and is only known not to be negative."""

    output: int
    workspace: int | None = 0
    why: str = ""


class Row(NamedTuple):
    """A case as a file states it, and what its passes take; None where no gradient flows."""

    operator: str
    arguments: str
    forward: Taken
    backward: Taken | None
    in_place: tuple[str, ...] = ()


F16, F32, F64, INDEX, POINTER = 2, 4, 8, 4, 8
SORTED = "sorted values, their indices and a copy of the values"
ONEDNN = "oneDNN's, which depends on the processor"
NORM = "gamma=tensor(({0},)), beta=tensor(({0},))"
STATS = "moving_mean=tensor((3,)), moving_var=tensor((3,), 'float32', constant(1))"
# Gradients of the moving statistics are asked for too.
BATCH_NORM = f"data=tensor((2, 3, 8, 8)), {NORM.format(3)}, {STATS}"
# 2 images of 3 channels of 10 x 10 to 4 channels of 8 x 8, windows of 3 x 3.
CONVOLUTION = (
    "data=tensor((2, 3, 10, 10), {0}), weight=tensor((4, 3, 3, 3), {0}), bias=tensor((4,), {0}), "
    "kernel=(3, 3), num_filter=4"
)
WEIGHTS = 2 * 3 * 10 * 10 + 4 * 3 * 3 * 3 + 4
LAYER = "data=tensor((20, 30), {0}), weight=tensor((40, 30), {0}), bias=tensor((40,), {0}), num_hidden=40"
POOLING = "data=tensor((2, 4, 16, 16)), kernel=(2, 2), stride=(2, 2), pool_type={!r}"
LOOKED_UP = "the gradient of the indices, which nobody asked for"
EVERY_ROW = "data=tensor((40, 80)), stype={!r}"
ALL_KEPT = "tensor((40, 20), storage={!r}, density=1.0)"

ROWS = (
    # one value in, one value out
    Row("exp", "data=tensor((100, 200))", Taken(100 * 200 * F32), Taken(100 * 200 * F32)),
    Row("exp", "data=tensor((100, 200), 'float16')", Taken(100 * 200 * F16), Taken(100 * 200 * F16)),
    Row("exp", "data=tensor((100, 200), 'float64')", Taken(100 * 200 * F64), Taken(100 * 200 * F64)),
    Row("sigmoid", "data=tensor((7, 11, 13))", Taken(7 * 11 * 13 * F32), Taken(7 * 11 * 13 * F32)),
    Row("clip", "data=tensor((50, 40)), a_min=-.5, a_max=.5", Taken(50 * 40 * F32), Taken(50 * 40 * F32)),
    Row("_mul_scalar", "data=tensor((50, 40), 'float64'), scalar=2.0", Taken(50 * 40 * F64), Taken(50 * 40 * F64)),
    Row("Cast", "data=tensor((50, 40)), dtype='float16'", Taken(50 * 40 * F16), Taken(50 * 40 * F32)),
    Row("softmax", "data=tensor((50, 40))", Taken(50 * 40 * F32), Taken(50 * 40 * F32)),
    Row("softmax", "data=tensor((50, 40), 'float64')", Taken(50 * 40 * F64), Taken(50 * 40 * F64)),
    Row("log_softmax", "data=tensor((50, 40), 'float16')", Taken(50 * 40 * F16), Taken(50 * 40 * F16)),
    Row("Activation", "data=tensor((50, 40)), act_type='relu'", Taken(50 * 40 * F32), Taken(50 * 40 * F32)),
    Row("Dropout", "data=tensor((20, 30)), p=0.5",
        Taken(20 * 30 * F32, 20 * 30 * F32, "the mask, kept for the gradient"), Taken(20 * 30 * F32)),
    # two tensors in
    Row("elemwise_mul", "lhs=tensor((100, 200)), rhs=tensor((100, 200))", Taken(100 * 200 * F32),
        Taken(2 * 100 * 200 * F32)),
    Row("broadcast_mul", "lhs=tensor((100, 1)), rhs=tensor((1, 200))", Taken(100 * 200 * F32),
        Taken((100 + 200) * F32)),
    Row("broadcast_add", "lhs=tensor((100, 200), 'float64'), rhs=tensor((1, 200), 'float64')", Taken(100 * 200 * F64),
        Taken((100 * 200 + 200) * F64, 100 * 200 * INDEX, "an index for each element, to reduce by")),
    Row("where", "condition=tensor((50, 40), 'int32'), x=tensor((50, 40)), y=tensor((50, 40))", Taken(50 * 40 * F32),
        Taken(2 * 50 * 40 * F32)),
    # reductions
    Row("sum", "data=tensor((100, 200)), axis=1", Taken(100 * F32), Taken(100 * 200 * F32)),
    Row("mean", "data=tensor((100, 200), 'float64'), axis=0", Taken(200 * F64), Taken(100 * 200 * F64)),
    Row("max", "data=tensor((100, 200)), axis=1, keepdims=True", Taken(100 * F32), Taken(100 * 200 * F32)),
    Row("norm", "data=tensor((100, 200)), axis=1", Taken(100 * F32), Taken(100 * 200 * F32)),
    Row("argmax", "data=tensor((100, 200)), axis=1", Taken(100 * F32), None),
    Row("moments", "data=tensor((20, 30)), axes=(1,)",
        Taken(2 * 20 * F32, 20 * 30 * F32, "the squared differences from the mean"), Taken(20 * 30 * F32)),
    # sorting: index, value and copy of each of n elements
    Row("topk", "data=tensor((1024, 1024)), k=2", Taken(1024 * 2 * F32, 12 * 1024 * 1024, SORTED), None),
    Row("topk", "data=tensor((200, 500)), k=2, ret_typ='mask'",
        Taken(200 * 500 * F32, 12 * 200 * 500 + 200 * 2 * INDEX, f"{SORTED}; the chosen indices"), None),
    Row("topk", "data=tensor((200, 500)), k=2, ret_typ='both'", Taken(2 * 200 * 2 * F32, 12 * 200 * 500, SORTED),
        Taken(200 * 500 * F32, (200 * 2 + 200) * INDEX, "an index for each value and each row")),
    Row("argsort", "data=tensor((200, 500))", Taken(200 * 500 * F32, 12 * 200 * 500, SORTED), None),
    Row("sort", "data=tensor((200, 500), 'float64'), axis=1",
        Taken(200 * 500 * F64, (8 + 8 + 4 + 4) * 200 * 500, f"{SORTED}; the order, kept for the gradient"),
        Taken(200 * 500 * F64, (200 * 500 + 200) * INDEX, "an index for each value and each row")),
    # products
    Row("dot", "lhs=tensor((30, 40)), rhs=tensor((40, 50))", Taken(30 * 50 * F32), Taken((30 * 40 + 40 * 50) * F32)),
    Row("dot", "lhs=tensor((40, 30), 'float64'), rhs=tensor((40, 50), 'float64'), transpose_a=True",
        Taken(30 * 50 * F64), Taken((40 * 30 + 40 * 50) * F64)),
    Row("batch_dot", "lhs=tensor((8, 30, 40)), rhs=tensor((8, 40, 50))",
        Taken(8 * 30 * 50 * F32, 3 * 8 * POINTER, "three pointers for each matrix"),
        Taken(8 * (30 * 40 + 40 * 50) * F32, 2 * 3 * 8 * POINTER, "likewise, for two products")),
    Row("_linalg_gemm2", "A=tensor((30, 40)), B=tensor((40, 50))", Taken(30 * 50 * F32),
        Taken((30 * 40 + 40 * 50) * F32)),
    Row("_npi_matmul", "a=tensor((30, 40)), b=tensor((40, 50))",
        Taken(30 * 50 * F32, (30 * 40 + 40 * 50 + 6) * F32, "a copy of either matrix, and three pointers"),
        Taken((30 * 40 + 40 * 50) * F32, None, "not counted by hand")),
    Row("FullyConnected", LAYER.format("'float64'"), Taken(20 * 40 * F64), Taken((20 * 30 + 40 * 30 + 40) * F64)),
    Row("FullyConnected", LAYER.format("'float32'"), Taken(20 * 40 * F32, None, ONEDNN),
        Taken((20 * 30 + 40 * 30 + 40) * F32, None, ONEDNN)),
    # networks' layers
    Row("Convolution", CONVOLUTION.format("'float64'"),
        Taken(2 * 4 * 8 * 8 * F64, 3 * 3 * 3 * 8 * 8 * F64, "the windows of one image as a matrix"),
        Taken(WEIGHTS * F64, 3 * 3 * 3 * 8 * 8 * F64, "likewise")),
    Row("Convolution", CONVOLUTION.format("'float32'"), Taken(2 * 4 * 8 * 8 * F32, None, ONEDNN),
        Taken(WEIGHTS * F32, None, ONEDNN)),
    Row("Pooling", POOLING.format("avg"), Taken(2 * 4 * 8 * 8 * F32, None, ONEDNN),
        Taken(2 * 4 * 16 * 16 * F32, None, ONEDNN)),
    Row("Pooling", POOLING.format("max"), Taken(2 * 4 * 8 * 8 * F32, None, ONEDNN),
        Taken(2 * 4 * 16 * 16 * F32, None, ONEDNN)),
    Row("BatchNorm", BATCH_NORM, Taken(2 * 3 * 8 * 8 * F32, 2 * 3 * F32, "mean and variance, kept for the gradient"),
        Taken((2 * 3 * 8 * 8 + 4 * 3) * F32, None, ONEDNN)),
    Row("BatchNorm", f"{BATCH_NORM}, output_mean_var=True", Taken((2 * 3 * 8 * 8 + 2 * 3) * F32),
        Taken((2 * 3 * 8 * 8 + 4 * 3) * F32, None, ONEDNN)),
    Row("LayerNorm", f"data=tensor((20, 30)), {NORM.format(30)}",
        Taken(20 * 30 * F32, 2 * 20 * F32, "mean and deviation of each row, kept for the gradient"),
        Taken((20 * 30 + 2 * 30) * F32, None, "not counted by hand")),
    Row("InstanceNorm", f"data=tensor((2, 3, 8, 8)), {NORM.format(3)}",
        Taken(2 * 3 * 8 * 8 * F32, 2 * 2 * 3 * F32, "mean and variance of each channel of each image, kept"),
        Taken((2 * 3 * 8 * 8 + 2 * 3) * F32, None, "not counted by hand")),
    Row("L2Normalization", "data=tensor((20, 30))", Taken(20 * 30 * F32, 20 * F32, "the norm of each row, kept"),
        Taken(20 * 30 * F32, 20 * F32, "a number for each row")),
    Row("Embedding", "data=tensor((9,), 'float32', integers(0, 50)), weight=tensor((50, 40)), "
        "input_dim=50, output_dim=40", Taken(9 * 40 * F32), Taken(50 * 40 * F32, 9 * F32, LOOKED_UP)),
    # rearrangement
    Row("transpose", "data=tensor((50, 40))", Taken(50 * 40 * F32), Taken(50 * 40 * F32)),
    Row("Reshape", "data=tensor((50, 40), 'float16'), shape=(40, 50)", Taken(50 * 40 * F16), Taken(50 * 40 * F16)),
    Row("Concat", "data=[tensor((4, 6)), tensor((4, 10))], num_args=2, dim=1", Taken((4 * 6 + 4 * 10) * F32),
        Taken((4 * 6 + 4 * 10) * F32)),
    Row("stack", "data=[tensor((4, 6)), tensor((4, 6)), tensor((4, 6))], num_args=3", Taken(3 * 4 * 6 * F32),
        Taken(3 * 4 * 6 * F32)),
    Row("SliceChannel", "data=tensor((12, 30)), num_outputs=5, axis=1", Taken(5 * 12 * 6 * F32), Taken(12 * 30 * F32)),
    Row("_split_v2", "data=tensor((12, 30)), indices=(0, 10, 20), axis=1",
        Taken(12 * 30 * F32, (4 + 3) * 8, "four bounds, and a pointer to each of three outputs"),
        Taken(12 * 30 * F32, (4 + 3) * 8, "likewise")),
    Row("slice", "data=tensor((50, 40)), begin=(0, 10), end=(50, 20)", Taken(50 * 10 * F32), Taken(50 * 40 * F32)),
    Row("tile", "data=tensor((50, 40)), reps=(2, 3)", Taken(100 * 120 * F32), Taken(50 * 40 * F32)),
    Row("Pad", "data=tensor((1, 2, 5, 6)), mode='constant', pad_width=(0, 0, 0, 0, 1, 1, 2, 2)",
        Taken(2 * 7 * 10 * F32), Taken(2 * 5 * 6 * F32)),
    Row("broadcast_to", "data=tensor((1, 40)), shape=(50, 40)", Taken(50 * 40 * F32), Taken(40 * F32)),
    # indexing
    Row("take", "a=tensor((50, 40)), indices=tensor((9,), 'int32', integers(0, 50))", Taken(9 * 40 * F32),
        Taken(50 * 40 * F32, 9 * 4, LOOKED_UP)),
    Row("pick", "data=tensor((50, 40)), index=tensor((50,), 'int32', integers(0, 40))", Taken(50 * F32),
        Taken(50 * 40 * F32)),
    Row("gather_nd", "data=tensor((50, 40)), indices=tensor((1, 9), 'int32', integers(0, 50))",
        Taken(9 * 40 * F32, 1 * 4, "a flag for each axis that is indexed"), Taken(50 * 40 * F32)),
    Row("one_hot", "indices=tensor((4,), 'int32', integers(0, 3)), depth=30", Taken(4 * 30 * F32), None),
    # made from nothing, and in place
    Row("_ones", "shape=(50, 40), dtype='float64'", Taken(50 * 40 * F64), None),
    Row("_random_uniform", "shape=(40, 50)", Taken(40 * 50 * F32, 2 * F32, "the two bounds"), None),
    Row("sgd_mom_update", "weight=tensor((40, 40)), grad=tensor((40, 40)), mom=tensor((40, 40)), lr=0.1",
        Taken(0), None, in_place=("weight",)),
    # sparse storage: values, an index of 8 bytes for each (csr) or for each row, and for csr where each row begins
    Row("cast_storage", EVERY_ROW.format("csr"), Taken(40 * 80 * (F32 + 8) + (40 + 1) * 8), Taken(40 * 80 * F32)),
    Row("cast_storage", EVERY_ROW.format("row_sparse"), Taken(40 * 80 * F32 + 40 * 8), Taken(40 * 80 * F32)),
    Row("square", f"data={ALL_KEPT.format('csr')}", Taken(40 * 20 * (F32 + 8) + (40 + 1) * 8),
        Taken(40 * 20 * F32, 40 * 20 * F32, "the data as a dense tensor")),
    Row("square", f"data={ALL_KEPT.format('row_sparse')}", Taken(40 * 20 * F32 + 40 * 8),
        Taken(40 * 20 * F32, 40 * 20 * F32, "the data as a dense tensor")),
    Row("_square_sum", f"data={ALL_KEPT.format('row_sparse')}, axis=(1,)", Taken(40 * F32),
        Taken(40 * 20 * F32 + 40 * 8)),
)  # fmt: skip
