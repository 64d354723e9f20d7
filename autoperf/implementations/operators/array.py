"""Reshape, transpose, pad, cast, repeat, concatenate, split and other rearrangements."""

from __future__ import annotations

from typing import Any

from autoperf.implementations.implementation import line

_KIND = {"kind": "dtype_of(dtype)"}
_SHAPE = {"shape": "reshaped(data.shape, shape, reverse)"}

_BROADCAST = {"torch": "torch.broadcast_to({}, target).contiguous()", "numpy": "np.broadcast_to({}, target).copy()",
              "jax": "jnp.broadcast_to({}, target)"}  # fmt: skip


def _texts(name: str) -> dict[str, Any]:
    return {framework: text.format(name) for framework, text in _BROADCAST.items()}


_AT = {"places": "split_places(data.shape[axis], indices, sections)"}
_SIZES = {"sizes": "split_sizes(data.shape[axis], indices, sections)"}
_SQUEEZED = "[part.squeeze(axis) for part in {}]"

LINES = (
    line("BlockGrad", numpy="np.copy(data)"),
    line("Cast amp_cast", torch="data.to(kind)", both="data.astype(kind)", prepare=_KIND),
    line("Flatten", torch="torch.flatten(data, 1)", when="len(data.shape) > 1"),
    line("Flatten", "xp.reshape(data, (data.shape[0], -1))"),
    line(
        "Pad",
        torch="F.pad(data, widths, value=constant_value)",
        both="np.pad(data, widths, constant_values=constant_value)",
        when="mode == 'constant'",
        prepare={"widths": "pad_widths(pad_width)"},
    ),
    *(
        line(
            "Pad",
            torch=f"F.pad(data, widths, '{of_torch}')",
            both=f"np.pad(data, widths, '{mode}')",
            when=f"mode == '{mode}'",
            prepare={"widths": "pad_widths(pad_width, 2)"},
        )
        for mode, of_torch in (("edge", "replicate"), ("reflect", "reflect"))
    ),
    line(
        "_npi_pad",
        torch="F.pad(data, widths, value=constant_value)",
        when="mode == 'constant'",
        prepare={"widths": "pad_widths(pad_width)"},
    ),
    line("_npi_pad", both="np.pad(data, pad_width, constant_values=constant_value)", when="mode == 'constant'"),
    line("_npi_pad", both="np.pad(data, pad_width, mode)", when="mode != 'constant'"),
    line("Reshape", "xp.reshape(data, shape)", prepare=_SHAPE, when="len(shape) > 0"),
    line("_npx_reshape", "xp.reshape(a, newshape)", when="all(size >= -1 and size != 0 for size in newshape)"),
    line("SwapAxis", "xp.swapaxes(data, dim1, dim2)"),
    line("_identity_with_attr_like_rhs", torch="torch.clone(lhs)", both="np.copy(lhs)"),
    line("_copyto", torch="torch.clone(data)", both="np.copy(data)"),
    line("_np_atleast_1d", both="np.atleast_1d(*arys)"),
    line("_np_atleast_2d", both="np.atleast_2d(*arys)"),
    line("_np_atleast_3d", both="np.atleast_3d(*arys)"),
    line("_np_diagonal", torch="torch.diagonal(data, offset, axis1, axis2)"),
    line(
        "diag",
        torch="torch.diagonal(data, k, axis1, axis2)",
        both="np.diagonal(data, k, axis1, axis2)",
        when="len(data.shape) > 1",
    ),
    line("diag", "xp.diag(data, k)", when="len(data.shape) == 1"),
    line("_np_trace", torch="torch.diagonal(data, offset, axis1, axis2).sum(-1)"),
    line("_np_squeeze", torch="torch.squeeze(a)", when="axis is None"),
    line("_np_squeeze", torch="torch.squeeze(a, axis)", when="axis is not None"),
    line("squeeze", torch="torch.squeeze(data)", when="axis is None"),
    line("squeeze", torch="torch.squeeze(data, axis)", when="axis is not None"),
    line(
        "_np_transpose",
        torch="a.permute(order)",
        prepare={"order": "tuple(axes) if axes else tuple(range(a.ndim))[::-1]"},
    ),
    line(
        "transpose",
        torch="data.permute(order)",
        both="np.transpose(data, order)",
        prepare={"order": "tuple(axes) if axes else tuple(range(data.ndim))[::-1]"},
    ),
    line("_npi_full_like", torch="torch.full_like(a, fill_value, dtype=kind)", prepare=_KIND),
    line("_npi_tril", torch="torch.tril(data, k)", jax="jnp.tril(data, k)", when="len(data.shape) > 1"),
    line(
        "amp_multicast",
        torch="[array.to(kind) for array in data]",
        both="[array.astype(kind) for array in data]",
        prepare={"kind": "common_dtype(data, cast_narrow)"},
    ),
    line(
        "depth_to_space",
        torch="data.reshape(first).permute(0, 3, 4, 1, 5, 2).reshape(shape)",
        both="data.reshape(first).transpose(0, 3, 4, 1, 5, 2).reshape(shape)",
        prepare={
            "first": "(data.shape[0], block_size, block_size, -1, *data.shape[2:])",
            "shape": "(data.shape[0], -1, data.shape[2] * block_size, data.shape[3] * block_size)",
        },
    ),
    line(
        "space_to_depth",
        torch="data.reshape(first).permute(0, 3, 5, 1, 2, 4).reshape(shape)",
        both="data.reshape(first).transpose(0, 3, 5, 1, 2, 4).reshape(shape)",
        prepare={
            "rows": "data.shape[2] // block_size",
            "columns": "data.shape[3] // block_size",
            "first": "(*data.shape[:2], rows, block_size, columns, block_size)",
            "shape": "(data.shape[0], -1, rows, columns)",
        },
    ),
    line("expand_dims", torch="torch.unsqueeze(data, axis)"),
    line(
        "reset_arrays",
        torch="[torch.zeros_like(array) for array in data]",
        both="[np.zeros_like(array) for array in data]",
        updates="data[:]",
    ),
    line(
        "reshape_like",
        "xp.reshape(lhs, shape)",
        prepare={"shape": "reshaped_like(lhs.shape, rhs.shape, lhs_begin, lhs_end, rhs_begin, rhs_end)"},
    ),
    line("shape_array", torch="torch.tensor(data.shape)", both="np.array(data.shape, 'int64')"),
    line("size_array", torch="torch.tensor([data.numel()])", both="np.array([data.size], 'int64')"),
    line("broadcast_axis", prepare={"target": "with_sizes(data.shape, axis, size)"}, **_texts("data")),
    line(
        "broadcast_like",
        prepare={"target": "broadcast_like_shape(lhs.shape, rhs.shape, lhs_axes, rhs_axes)"},
        **_texts("lhs"),
    ),
    line(
        "broadcast_to",
        prepare={"target": "tuple(new or old for new, old in zip(shape, data.shape, strict=True))"},
        **_texts("data"),
    ),
    line("repeat", torch="torch.repeat_interleave(data, repeats, axis)"),
    line("Concat _rnn_param_concat", torch="torch.cat(data, dim)", both="np.concatenate(data, dim)"),
    line("_npi_concatenate", torch="torch.cat(data, axis)", both="np.concatenate(data, axis)", when="axis is not None"),
    line(
        "_npi_concatenate",
        torch="torch.cat([array.flatten() for array in data])",
        both="np.concatenate(data, None)",
        when="axis is None",
    ),
    line(
        "SliceChannel",
        torch="torch.tensor_split(data, num_outputs, axis)",
        both="np.split(data, num_outputs, axis)",
        when="not squeeze_axis",
    ),
    line(
        "SliceChannel",
        torch="torch.unbind(data, axis)",
        both=_SQUEEZED.format("np.split(data, num_outputs, axis)"),
        when="squeeze_axis",
    ),
    line(
        "_split_v2 _npi_hsplit _npi_dsplit",
        torch="torch.split(data, sizes, axis)",
        both="np.split(data, places, axis)",
        when="not squeeze_axis",
        prepare={**_AT, **_SIZES},
    ),
    line(
        "_split_v2 _npi_hsplit _npi_dsplit",
        torch=_SQUEEZED.format("torch.split(data, sizes, axis)"),
        both=_SQUEEZED.format("np.split(data, places, axis)"),
        when="squeeze_axis",
        prepare={**_AT, **_SIZES},
    ),
    line("add_n", torch="added(args)", both="added(args)"),
)
