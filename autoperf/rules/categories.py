"""The categories by which users select operators; `groups` has the names by which opperf knows them."""

from __future__ import annotations

CATEGORIES = {
    "unary": "elementwise functions of one tensor",
    "elementwise": "binary functions of two tensors of one shape",
    "broadcast": "binary functions of two tensors that broadcast",
    "scalar": "binary functions of a tensor and a number",
    "comparison": "equal, greater, lesser and their like",
    "logical": "and, or, xor, not, all, any",
    "bitwise": "bitwise and, or, xor, not",
    "rounding": "round, rint, fix, floor, ceil, trunc",
    "trigonometric": "sine to inverse hyperbolic tangent, degrees and radians",
    "exponential": "exponents and logarithms",
    "power": "powers and roots",
    "reduction": "sum, mean, max, norm, moments, ... over axes",
    "cumulative": "cumulative sums and differences",
    "sorting": "sorting and searching",
    "indexing": "take, gather, scatter, slice, one-hot, where",
    "array": "reshape, transpose, pad, cast, copy and other rearrangements",
    "expanding": "repeat, tile, broadcast to a shape",
    "join_split": "concatenate, stack and split",
    "gemm": "dot, batch_dot, matmul, einsum",
    "linalg": "factorisations, solvers and matrix functions",
    "convolution": "convolution and deconvolution",
    "pooling": "pooling, resizing and regions of interest",
    "activation": "activations and the softmax family",
    "normalization": "batch, layer, instance, group and other normalisation",
    "recurrent": "recurrent networks",
    "nn_basic": "fully connected, embedding, dropout",
    "loss": "losses and output layers",
    "sequence": "operators on padded sequences",
    "attention": "the transformer's matrix products",
    "random": "random sampling and densities",
    "optimizer": "optimizer updates",
    "creation": "arrays made from nothing",
    "image": "image transformation",
    "detection": "boxes, anchors, proposals",
    "quantization": "8-bit inference",
    "sparse": "row-sparse and CSR storage",
    "graph": "graph sampling",
    "control_flow": "loops and branches over graphs",
    "subgraph": "custom, cached and fused operators",
    "statistics": "histogram, percentile, bincount",
    "misc": "what fits nowhere else",
    "composite": "graphs of many small operators: box coders, losses, attention, optimizer steps, ...",
    "front_end": "calls of the Python front end that are no operators: copies, x[key], optimizers, iterators, ...",
    "gluon": "layers of Gluon: imperative, hybridized, and hybridized with static memory",
}

MOVING = frozenset({"array", "join_split", "expanding", "indexing", "creation", "sequence"})
"""Their operators move or fill memory, and compute nothing unless their rule counts it (`flops`)."""
MOVING_BACK = frozenset({"array", "join_split", "sequence"})
"""Those whose backward passes compute nothing either: the others add what several outputs were made from."""
