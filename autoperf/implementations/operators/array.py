"""Creation, rearrangement and sorting of arrays; sequences."""

from __future__ import annotations

from typing import Any

from autoperf.implementations.implementation import WHOLE, line

_KIND = {"kind": "dtype_of(dtype)"}
_SHAPE = {"shape": "reshaped(data.shape, shape, reverse)"}


def _broadcast(name: str) -> dict[str, Any]:
    text = f"broadcast_to({name}, target)"
    return {"torch": f"torch.{text}.contiguous()", "numpy": f"np.{text}.copy()", "jax": f"jnp.{text}"}


_AT = {"places": "split_places(data.shape[axis], indices, sections)"}
_SIZES = {"sizes": "split_sizes(data.shape[axis], indices, sections)"}
_SQUEEZED = "[part.squeeze(axis) for part in {}]"

_SPACED = {**_KIND, "last": "start if stop is None else stop", "first": "0 if stop is None else start"}

_MASK = {"mask": "sequence_mask(xp, data, sequence_length, axis)"}
_NOTE = "the mask of the lengths is made before"
_LAST = {"last": "whole(sequence_length) - 1", "places": "xp.arange(len(sequence_length))"}

_PLACES: dict[str, Any] = {"cast": True, "compared": "elements_at(data, result, axis)"}
_ORDER = "torch.argsort({}, dim={}, descending=not is_ascend, stable=True)"

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
    *(line(f"_np_atleast_{ndim}d", both=f"np.atleast_{ndim}d(*arys)") for ndim in (1, 2, 3)),
    line("_np_diagonal", torch="torch.diagonal(data, offset, axis1, axis2)"),
    line("diag", "xp.diagonal(data, k, axis1, axis2)", when="len(data.shape) > 1"),
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
    line("reset_arrays", "[xp.zeros_like(array) for array in data]", updates="data[:]"),
    line(
        "reshape_like",
        "xp.reshape(lhs, shape)",
        prepare={"shape": "reshaped_like(lhs.shape, rhs.shape, lhs_begin, lhs_end, rhs_begin, rhs_end)"},
    ),
    line("shape_array", torch="torch.tensor(data.shape)", both="np.array(data.shape, 'int64')"),
    line("size_array", torch="torch.tensor([data.numel()])", both="np.array([data.size], 'int64')"),
    line("broadcast_axis", prepare={"target": "with_sizes(data.shape, axis, size)"}, **_broadcast("data")),
    line(
        "broadcast_like",
        prepare={"target": "broadcast_like_shape(lhs.shape, rhs.shape, lhs_axes, rhs_axes)"},
        **_broadcast("lhs"),
    ),
    line(
        "broadcast_to",
        prepare={"target": "tuple(new or old for new, old in zip(shape, data.shape, strict=True))"},
        **_broadcast("data"),
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
    line("add_n", "added(args)"),
    line("_full", torch="torch.full(shape, value, dtype=kind)", both="np.full(shape, value, kind)", prepare=_KIND),
    line("_npi_zeros _zeros", "xp.zeros(shape, dtype=kind)", prepare=_KIND),
    line("_npi_ones _ones", "xp.ones(shape, dtype=kind)", prepare=_KIND),
    line("_zeros_without_dtype", "xp.zeros(shape, dtype=xp.float32)", when="dtype in (-1, 0)"),
    line("_set_value", "xp.full(out.shape, src, dtype=out.dtype)"),
    line("_eye _npi_eye", torch="torch.eye(N, M or N, dtype=kind)", when="k == 0", prepare=_KIND),
    line("_npi_identity", torch="torch.eye(shape[0], dtype=kind)", both="np.identity(shape[0], kind)", prepare=_KIND),
    line(
        "_arange _npi_arange",
        "xp.arange(first, last, step, dtype=kind)",
        when="repeat == 1 and not infer_range",
        prepare=_SPACED,
    ),
    line(
        "_arange",
        torch="torch.arange(first, last, step, dtype=kind).repeat_interleave(repeat)",
        both="np.repeat(np.arange(first, last, step, kind), repeat)",
        when="repeat > 1 and not infer_range",
        prepare=_SPACED,
    ),
    line("_linspace", torch="torch.linspace(start, stop, num, dtype=kind)", when="endpoint", prepare=_KIND),
    line("_linspace", both="np.linspace(start, stop, num, endpoint, dtype=kind)", prepare=_KIND),
    line("_npi_logspace", torch="torch.logspace(start, stop, num, base, dtype=kind)", when="endpoint", prepare=_KIND),
    *(
        line(
            f"_npi_{name}",
            torch=f"torch.{of_torch}_window(M, False).to(kind)",
            both=f"np.{name}(M).astype(kind)",
            prepare=_KIND,
            precision="float32",
        )
        for name, of_torch in (("blackman", "blackman"), ("hamming", "hamming"), ("hanning", "hann"))
    ),
    line(
        "_npi_indices",
        torch="torch.stack(torch.meshgrid(*(torch.arange(size, dtype=kind) for size in dimensions), indexing='ij'))",
        prepare=_KIND,
    ),
    line(
        "_contrib_arange_like",
        torch="torch.arange(data.numel(), dtype=data.dtype).mul(step).add(start).reshape(data.shape)",
        both="(np.arange(data.size, dtype=data.dtype) * step + start).reshape(data.shape)",
        when="axis is None and repeat == 1",
    ),
    line(
        "_contrib_arange_like",
        torch="torch.arange(data.shape[axis], dtype=data.dtype).mul(step).add(start)",
        both="np.arange(data.shape[axis], dtype=data.dtype) * step + start",
        when="axis is not None and repeat == 1",
    ),
    line("SequenceMask", "masked(data, mask, value)", when="use_sequence_length", prepare=_MASK, note=_NOTE),
    line("SequenceMask", torch="data.clone()", both="np.copy(data)", when="not use_sequence_length"),
    line("SequenceLast", "data[last, places]", when="use_sequence_length and axis == 0", prepare=_LAST, note=WHOLE),
    line("SequenceLast", "data[places, last]", when="use_sequence_length and axis == 1", prepare=_LAST, note=WHOLE),
    line("SequenceLast", torch="data.select(axis, -1)", both="np.take(data, -1, axis)", when="not use_sequence_length"),
    line(
        "SequenceReverse",
        "data[order, places]",
        when="use_sequence_length and axis == 0",
        prepare={"order": "reversed_places(xp, data, whole(sequence_length))", "places": "xp.arange(data.shape[1])"},
        note="the order of each sequence is computed before",
    ),
    line("SequenceReverse", "xp.flip(data, (axis,))", when="not use_sequence_length"),
    line(
        "RNN",
        torch="recurrent(data, parameters, (state, state_cell), mode, state_size, num_layers, bidirectional, "
        "state_outputs)",
        when="mode == 'lstm' and projection_size is None and not use_sequence_length and (p == 0 or not training) "
        "and lstm_state_clip_min is None and lstm_state_clip_max is None",
    ),
    line(
        "RNN",
        torch="recurrent(data, parameters, (state,), mode, state_size, num_layers, bidirectional, state_outputs)",
        when="mode != 'lstm' and not use_sequence_length and (p == 0 or not training)",
    ),
    line("_contrib_interleaved_matmul_selfatt_qk", "self_scores(queries_keys_values, heads)"),
    line("_contrib_interleaved_matmul_selfatt_valatt", "self_values(queries_keys_values, attention, heads)"),
    line("_contrib_interleaved_matmul_encdec_qk", "cross_scores(queries, keys_values, heads)"),
    line("_contrib_interleaved_matmul_encdec_valatt", "cross_values(keys_values, attention, heads)"),
    line("argmax", jax="jnp.argmax(data, axis, keepdims=keepdims)", cast=True),
    line("argmin", jax="jnp.argmin(data, axis, keepdims=keepdims)", cast=True),
    line("argmax_channel", torch="torch.argmax(data, 1)", both="np.argmax(data, 1)", cast=True),
    line("argsort", torch=_ORDER.format("data", "axis"), when="axis is not None", **_PLACES),
    line("argsort", torch=_ORDER.format("data.flatten()", "0"), when="axis is None", **_PLACES),
    line("argsort", both="np.argsort(data, axis)", when="is_ascend", **_PLACES),
    line("argsort", both="np.argsort(-data, axis)", when="not is_ascend and axis is not None", **_PLACES),
    line("argsort", both="np.argsort(-np.ravel(data))", when="not is_ascend and axis is None", **_PLACES),
    line("sort", torch="torch.sort(data, axis, not is_ascend).values", when="axis is not None"),
    line("sort", torch="torch.sort(data.flatten(), 0, not is_ascend).values", when="axis is None"),
    line("sort", both="np.sort(data, axis)", when="is_ascend"),
    line("sort", both="np.flip(np.sort(data, axis), axis)", when="not is_ascend and axis is not None"),
    line("sort", both="np.flip(np.sort(data, None))", when="not is_ascend and axis is None"),
    line(
        "topk",
        torch="torch.topk(data, k, axis, not is_ascend).indices",
        both="top_places(data, k, axis, is_ascend)",
        when="ret_typ == 'indices' and axis is not None and k > 0",
        **_PLACES,
    ),
    line(
        "topk",
        torch="torch.topk(data, k, axis, not is_ascend).values",
        both="np.take_along_axis(data, top_places(data, k, axis, is_ascend), axis)",
        when="ret_typ == 'value' and axis is not None and k > 0",
    ),
    line(
        "topk",
        torch="torch.topk(data, k, axis, not is_ascend)",
        both="(np.take_along_axis(data, places := top_places(data, k, axis, is_ascend), axis), places)",
        when="ret_typ == 'both' and axis is not None and k > 0",
        cast=True,
        undifferentiated="torch jax",
    ),
    line(
        "topk",
        torch="torch.zeros_like(data).scatter(axis, torch.topk(data, k, axis, not is_ascend).indices, 1)",
        jax="jnp.put_along_axis(jnp.zeros_like(data), top_places(data, k, axis, is_ascend), 1, axis, inplace=False)",
        when="ret_typ == 'mask' and axis is not None and k > 0",
    ),
    line("_npi_unique", torch="unique(data, return_inverse, return_counts, axis)", when="not return_index"),
)
