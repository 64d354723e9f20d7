"""The default inputs of opperf: its groups of operators, and the values of each argument, as published.

`calls` has the arguments of each call. opperf gives an argument a list of values: those of lists of the longest length
are taken together, other lists give their first value. A value is by operator and argument, or by argument alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autoperf.core.operator import Operator, Registry, Role

SQUARE, COLUMN, TALL = (1024, 1024), (10000, 1), (10000, 100)
DATA = [SQUARE, COLUMN, TALL]
IMAGES = [(32, 3, 256, 256), (32, 3, 10000, 10)]
PAIR = [SQUARE, (10000, 10), COLUMN]
RATES = [0.1, 0.5, 0.9]


def _each(names: Sequence[str], values: Any) -> dict[str, Any]:
    """The same values for several names."""
    return dict.fromkeys(names, values)


ARGUMENTS: dict[str, Sequence[Any]] = {
    **_each(("data", "a", "x", "y", "weight", "weight32", "grad", "mean", "var", "mom", "n", "d", "v"), DATA),
    **_each(("z", "g", "delta", "lrs", "wds", "weights_sum_sq", "grads_sum_sq", "shape"), DATA),
    **_each(("lhs", "rhs"), PAIR),
    **_each(("lr", "wd", "rho", "momentum", "beta1", "beta2"), RATES),
    **_each(("r1", "r2", "index"), [(1, 1024), (1, 1), (1, 100)]),
    **_each(("A", "B", "C", "args"), [SQUARE]),
    **_each(("epsilon", "eps"), [1e-05]),
    **_each(("margin", "regularization_coefficient", "grad_scale", "eta"), [0.5]),
    "dtype": ["float32", "int32", "float32"], "sample": [(2,)], "low": [0], "high": [5], "sigma": [[1.0, 3.7]],
    "k": [1], "p": [1], "axis": [0], "t": [1, 5], "rescale_grad": [0.4, 0.77], "clip_grad": [-1.0, 0.8],
    "lazy_update": [0, 1], "dim1": [0], "dim2": [1], "block_size": [2, 5], "indices": [(1, 1)], "begin": [0],
    "end": [1],
    "shape_like": [(100, 100), (10, 1), (100, 10)], "condition": [(1024,), (10000,), (10000,)], "depth": [0],
    "num_outputs": [1], "size": [2], "repeats": [2], "reps": [2], "grid": [(32, 2, 256, 256)],
    "transform_type": ["warp", "affine"], "axes": [[0, 1]], "a_min": [0.1], "a_max": [0.9],
    "stype": ["default", "csr", "row_sparse"], "mhs": [(1024,), (10000,), (10000,)], "sampler_type": ["bilinear"],
    "target_shape": [(32, 6), (256, 6)], "output_size": [(64, 16, 1), (32, 8, 1)], "num_groups": [1, 10],
    "num_hidden": [64], "bias": [(64,)], "flatten": [True, False], "normalization": ["batch"], "input_dim": [3, 16],
    "output_dim": [4, 9], "sparse_grad": [False], "data1": IMAGES, "data2": IMAGES, "kernel_size": [3],
    "max_displacement": [2], "stride1": [2], "stride2": [2], "nsize": [3], "label": [(100, 100)],
}  # fmt: skip
BY_OPERATOR: dict[str, dict[str, Sequence[Any]]] = {
    **_each(("depth_to_space", "space_to_depth"), {"data": [(1, 4, 2, 4), (10, 25, 10, 100)]}),
    "pad": {"data": [(1, 4, 2, 4), (10, 25, 10, 100)], "mode": ["constant"], "pad_width": [(0, 0, 0, 0, 1, 1, 1, 1)]},
    **_each(("CTCLoss", "ctc_loss"), {"data": [(1024, 100, 100)]}),
    "softmax_cross_entropy": {"data": [SQUARE], "label": [(1024,)]},
    **_each(("broadcast_axis", "broadcast_axes", "broadcast_like", "broadcast_to"),
                    {"data": [(1, 1024), (1, 1), (1, 100)]}),
    "random_randint": {"dtype": ["int32", "int64", "int32"]}, "ravel_multi_index": {"data": [(2, 1024)]},
    "Activation": {"act_type": ["relu", "sigmoid", "log_sigmoid", "mish", "softrelu", "softsign", "tanh"]},
    "LeakyReLU": {"act_type": ["leaky", "elu", "selu", "gelu"]},
    "BilinearSampler": {"data": [(32, 2, 256, 256)]},
    "GridGenerator": {"data": [(32, 2, 256, 256), (256, 6)], "target_shape": [(256, 6)]},
    # 2.0 calls it sample_categorical.
    **_each(("sample_multinomial", "sample_categorical"), {"data": [(32, 32), (64, 64)]}),
    "linalg_maketrian": {"A": [(1024, 1035)]},
    "squeeze": {"data": [(1, 1024, 1024), (32, 1, 256, 256)], "axis": [0, 1]},
    "fill_element_0index": {"lhs": DATA, "rhs": [(1024,), (10000,), (10000,)]},
    "SpatialTransformer": {"data": [(32, 3, 256, 6), (256, 3, 10000, 6)], "loc": [(32, 6), (256, 6)],
                           "transform_type": ["affine"]},
    "col2im": {"data": [(32, 64, 256), (32, 64, 256)], "kernel": [(1, 1, 1), (1, 1, 1)],
               "stride": [(2, 2, 2), (1, 1, 1)]},
    "im2col": {"data": IMAGES, "kernel": [(3,), (3, 3)], "stride": [(1,), (1, 1)], "dilate": [(1,), (1, 1)],
               "pad": [(1,), (1, 1)]},
    "GroupNorm": {"data": [(32, 3, 256, 256), (32, 10, 10000, 10)], "gamma": [(1,), (10,)], "beta": [(1,), (10,)]},
    "Dropout": {"data": [(32, 3, 256, 256), (10000, 10)], "mode": ["always"], "p": [1]},
    "FullyConnected": {"data": IMAGES, "weight": [(64, 3 * 256 * 256), (64, 10)]},
    "BatchNorm": {"data": IMAGES, "gamma": [(3,)], "beta": [(3,)], "moving_mean": [(3,)], "moving_var": [(3,)],
                  "axis": [1]},
    "L2Normalization": {"data": IMAGES, "mode": ["channel", "instance", "spatial"]},
    "LayerNorm": {"data": IMAGES, "gamma": [(32,), (32,)], "beta": [(32,), (32,)], "axis": [0]},
    "InstanceNorm": {"data": IMAGES, "gamma": [(3,)], "beta": [(3,)]},
    "Embedding": {"weight": [(3, 4), (16, 9)]}, "LRN": {"data": IMAGES, "alpha": [0.001], "beta": [0.2]},
    "softmax": {"label": DATA}, "SoftmaxActivation": {"label": DATA},
}  # fmt: skip
# Tensors of the operators that sample from given parameters.
PARAMETERS_OF_SAMPLES: dict[str, Sequence[Any]] = {
    "low": [[0.0, 2.5]], "high": [[1.0, 3.7]], "mu": [[2.0, 2.5]], "sigma": [[1.0, 3.7]], "alpha": [[0.0, 2.5]],
    "beta": [[1.0, 0.7]], "lam": [[1.0, 8.5]], "k": [[20, 49]], "p": [[0.4, 0.77]],
}  # fmt: skip
FLOATING = {"dtype": ["float16", "float32", "float64"]}
_TURNED = {"transpose_b": True}
_DOTS: list[dict[str, Any]] = [
    {"lhs": SQUARE, "rhs": SQUARE},
    {"lhs": (1000, 10), "rhs": (1000, 10), **_TURNED},
    {"lhs": (1000, 1), "rhs": (100, 1000), "transpose_a": True, **_TURNED},
]
_LISTS = [{"args": [shape], "num_arrays": 1} for shape in (SQUARE, COLUMN, (10000, 10))]


def _windows(*channels: int) -> Iterator[dict[str, Any]]:
    """The calls of convolutions in one and two dimensions; `channels` lead the shape of the weight."""
    for sizes in ((256,), (64,), (256, 256), (64, 64)):
        rank = len(sizes)
        yield {
            "data": (32, 3, *sizes), "weight": (*channels, *(3,) * rank), "bias": (1,), "kernel": (3,) * rank,
            "stride": (1,) * rank, "dilate": (1,) * rank, "pad": (0,) * rank, "num_filter": 1,
            "layout": "NCW" if rank == 1 else "NCHW",
        }  # fmt: skip


def _pools() -> Iterator[dict[str, Any]]:
    for kind in ("avg", "max", "sum"):
        for whole in (False, True):
            common = {"pool_type": kind, "global_pool": whole}
            yield from ({"data": (32, 3, n), "kernel": (3,), "stride": (1,), "pad": (1,), **common} for n in (256, 64))
            for size in (256, 64):
                data = (32, 3, size, size)
                yield {"data": data, "kernel": (3, 3), "stride": (1, 1), "pad": (0, 0), **common}


def _networks() -> Iterator[dict[str, Any]]:
    for mode, parameters in (("rnn_relu", 7), ("rnn_tanh", 7), ("lstm", 28), ("gru", 21)):
        state = {"state_cell": (1, 4, 1)} if mode == "lstm" else {}
        yield {
            "data": (1024, 4, 4), "parameters": (parameters,), "state": (1, 4, 1), **state, "mode": mode,
            "state_size": 1, "num_layers": 1,
        }  # fmt: skip


CALLS: dict[str, list[dict[str, Any]]] = {
    "dot": _DOTS,
    "batch_dot": [{**call, "lhs": (32, *call["lhs"]), "rhs": (32, *call["rhs"])} for call in _DOTS],
    "khatri_rao": [{"args": [(32, 32), (32, 32)]}, {"args": [(64, 64), (64, 64)]}],
    "Convolution": list(_windows(1, 3)),
    "Deconvolution": [{**call, "no_bias": False} for call in _windows(3, 1)],
    "Pooling": list(_pools()),
    "ROIPooling": [
        {"data": (32, 3, size, size), "rois": (32, 5), "pooled_size": (2, 2), "spatial_scale": 0.5}
        for size in (256, 64)
    ],
    "RNN": list(_networks()),
    "linalg_potrf": [{"A": [[1, 0], [0, 1]]}, {"A": [[2, -1, 0], [-1, 2, -1], [0, -1, 2]]}],
    **_each(("reset_arrays", "multi_all_finite", "multi_sum_sq"), _LISTS),
    "add_n": [{"args": call["args"]} for call in _LISTS],
    "UpSampling": [
        {"args": (32, 3, 256, 256), "scale": 2, "sample_type": "nearest"},
        {"args": (32, 3, 10000, 1), "scale": 4, "sample_type": "nearest"},
    ],
}
NAMED = """
    choose_element_0index reshape_like ElementWiseSum GridGenerator BilinearSampler moments norm
    FullyConnected Dropout BatchNorm L2Normalization LayerNorm InstanceNorm Embedding Correlation SpatialTransformer
    im2col col2im GroupNorm LRN SoftmaxActivation softmin Activation LeakyReLU hard_sigmoid softmax log_softmax
    mp_sgd_update signum_update rmspropalex_update ftml_update rmsprop_update sgd_mom_update signsgd_update
    mp_sgd_mom_update ftrl_update sgd_update adam_update mp_nag_mom_update nag_mom_update lamb_update_phase1
    lamb_update_phase2 sort argsort argmax argmin topk transpose swapaxes flip depth_to_space space_to_depth SwapAxis
    reverse squeeze all_finite clip multi_lars SequenceReverse SequenceLast SequenceMask cast_storage cumsum
    fill_element_0index slice slice_axis slice_like take one_hot where ravel_multi_index gather_nd pick smooth_l1
    CTCLoss ctc_loss MakeLoss softmax_cross_entropy
    split diag reshape size_array shape_array broadcast_axes broadcast_axis
    broadcast_to broadcast_like repeat tile pad expand_dims round rint fix floor ceil trunc cast amp_cast
"""
NOT_RUN = """
    normal uniform Flatten contrib_CTCLoss Pad Cast Pooling_v1 Concat Reshape Convolution_v1 SliceChannel Crop crop
    onehot_encode batch_take _contrib _
"""
"""The beginnings of names that opperf leaves out."""


def operators(registry: Registry) -> dict[str, Operator]:
    """The operators that opperf runs, by the names that it calls them by, in this release."""
    names = {name: operator for operator in registry.operators for name in operator.names}
    skipped = tuple(NOT_RUN.split())
    chosen = {
        name
        for name, operator in names.items()
        if operator.role is Role.FORWARD and not name.startswith(skipped) and _is_in_a_group(name, operator)
    }
    return {name: names[name] for name in sorted({*chosen, *NAMED.split(), *CALLS} & names.keys())}


def _is_in_a_group(name: str, operator: Operator) -> bool:
    """Whether opperf finds the operator by its arguments or by the beginning of its name."""
    arguments = _arguments(operator)
    binary = arguments == ["lhs", "rhs"] and name.startswith(("broadcast_", "elemwise_"))
    reduction = len(arguments) == 4 and {"data", "axis", "exclude", "keepdims"} == set(arguments)
    return binary or reduction or arguments == ["data"] or name.startswith(("random_", "sample_", "linalg_"))


def _arguments(operator: Operator) -> list[str]:
    return [*(tensor.name for tensor in operator.tensors), *(parameter.name for parameter in operator.parameters)]


def calls(name: str, operator: Operator) -> list[dict[str, Any]]:
    """The arguments of each call of an operator by this name; none if opperf gives it no argument."""
    if name in CALLS:
        return CALLS[name]
    values = {argument: given for argument in _arguments(operator) if (given := _values(name, operator, argument))}
    number = max(map(len, values.values()), default=0)
    return [
        {argument: given[index] if len(given) == number else given[0] for argument, given in values.items()}
        for index in range(number)
    ]


def _values(name: str, operator: Operator, argument: str) -> Sequence[Any] | None:
    tables: list[Mapping[str, Sequence[Any]]] = [BY_OPERATOR.get(name, {})]
    if any(tensor.name == argument for tensor in operator.tensors) and name not in BY_OPERATOR:
        tables.append(PARAMETERS_OF_SAMPLES)
    if name.startswith(("random", "sample")) or name in ("log_softmax", "softmax", "softmin"):
        tables.append(FLOATING)
    return next((table[argument] for table in (*tables, ARGUMENTS) if argument in table), None)
