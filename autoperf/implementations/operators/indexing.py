"""Take, gather, scatter, slice, one-hot, where."""

from __future__ import annotations

from autoperf.implementations.implementation import WHOLE, line

_SLICE = {"key": "slices(data.ndim, begin, end, step)"}
_TRUE = {"condition": "condition != 0"}
_MASK = "the condition is converted to bool before"
_CLIPPED = "indices are converted to int64, and brought into range, before"
_STRIDED = "all(part is None or part > 0 for part in step or ())"

LINES = (
    line(
        "take",
        torch="torch.index_select(a, axis, index).reshape(shape)",
        prepare={
            "axis": "axis % a.ndim",
            "shape": "(*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :])",
            "index": "in_range(xp, whole(indices), a.shape[axis], mode).flatten()",
        },
        note=_CLIPPED,
    ),
    line(
        "take",
        both="np.take(a, index, axis)",
        prepare={"index": "in_range(xp, whole(indices), a.shape[axis], mode)"},
        note=_CLIPPED,
    ),
    line(
        "batch_take",
        torch="torch.gather(a, 1, index).squeeze(1)",
        both="np.take_along_axis(a, index, 1)[:, 0]",
        prepare={"index": "in_range(xp, whole(indices), a.shape[1], 'clip').reshape(-1, 1)"},
        note=_CLIPPED,
    ),
    *(
        line(
            "pick",
            torch=f"torch.gather(data, axis, index){squeezed}",
            both=f"np.take_along_axis(data, index, axis){squeezed}",
            when=condition,
            prepare={"index": "picked(xp, whole(index), data, axis, mode)"},
            note=_CLIPPED,
        )
        for squeezed, condition in (("", "axis is not None and keepdims"), (".squeeze(axis)", "axis is not None"))
    ),
    line(
        "one_hot",
        torch="torch.where(F.one_hot(index, depth).bool(), on, off)",
        both="np.where(np.expand_dims(index, -1) == places, on, off)",
        prepare={
            "index": "whole(indices)",
            "places": "xp.arange(depth)",
            "on": "scalar_of(on_value, dtype)",
            "off": "scalar_of(off_value, dtype)",
        },
        note=WHOLE,
    ),
    line("gather_nd", "data[index]", prepare={"index": "tuple(whole(indices))"}, note=WHOLE),
    line(
        "scatter_nd",
        torch="torch.zeros(target, dtype=data.dtype).index_put(index, data)",
        numpy="scattered(data, index, target)",
        jax="jnp.zeros(target, data.dtype).at[index].set(data)",
        # Of values at equal indices one is kept; MXNet's gradient reaches all.
        undifferentiated="jax",
        prepare={"index": "tuple(whole(indices))", "target": "tuple(shape)"},
        note=WHOLE,
    ),
    line(
        "_scatter_set_nd",
        torch="lhs.index_put(index, rhs)",
        numpy="assigned(lhs, index, rhs)",
        jax="lhs.at[index].set(rhs)",
        prepare={"index": "tuple(whole(indices))"},
        note=WHOLE,
    ),
    line("slice", "data[key]", prepare=_SLICE, when=_STRIDED),
    line("slice", both="data[key]", prepare=_SLICE),
    line("slice_axis", "data[key]", prepare={"key": "axis_slice(data.ndim, axis, begin, end)"}),
    line("slice_like", "data[key]", prepare={"key": "like_slices(data.shape, shape_like.shape, axes)"}),
    line(
        "_slice_assign",
        "assigned(lhs, key, rhs)",
        jax="lhs.at[key].set(rhs)",
        prepare={"key": "slices(lhs.ndim, begin, end, step)"},
        when=_STRIDED,
    ),
    line(
        "_slice_assign_scalar",
        "assigned(data, key, scalar)",
        jax="data.at[key].set(scalar)",
        prepare=_SLICE,
        when=_STRIDED,
    ),
    line("where", "xp.where(condition, x, y)", prepare={"condition": "row_condition(condition, x)"}, note=_MASK),
    line("_npi_where", "xp.where(condition, x, y)", prepare=_TRUE, note=_MASK),
    line(
        "_npi_where_lscalar", "xp.where(condition, scalar, x)", prepare=_TRUE, note=_MASK, undifferentiated="torch jax"
    ),
    line(
        "_npi_where_rscalar", "xp.where(condition, y, scalar)", prepare=_TRUE, note=_MASK, undifferentiated="torch jax"
    ),
    line(
        "_npi_where_scalar2",
        "xp.where(condition, first, second)",
        prepare={**_TRUE, "first": "scalar_of(x, 'float32')", "second": "scalar_of(y, 'float32')"},
        note=_MASK,
    ),
    line(
        "_contrib_boolean_mask",
        "data[index]",
        when="axis == 0",
        prepare={"index": "index != 0"},
        constant="index",
        note=_MASK,
    ),
    line(
        "_contrib_index_array",
        "xp.stack(xp.meshgrid(*places, indexing='ij'), -1)",
        when="axes is None",
        prepare={"places": "[xp.arange(size) for size in data.shape]"},
    ),
    line(
        "_contrib_index_copy",
        torch="torch.index_copy(old_tensor, 0, index_vector, new_tensor)",
        numpy="assigned(old_tensor, index_vector, new_tensor)",
        jax="old_tensor.at[index_vector].set(new_tensor)",
        prepare={"index_vector": "whole(index_vector)"},
        note=WHOLE,
    ),
    line(
        "_npi_boolean_mask_assign_scalar",
        "xp.where(wide, value, data)",
        prepare={"wide": "widened(mask, data, start_axis)"},
        note="the mask is broadcast before",
    ),
    line(
        "_npi_boolean_mask_assign_tensor",
        torch="data.masked_scatter(mask, value)",
        numpy="assigned(data, mask, value)",
        when="start_axis == 0 and mask.shape == data.shape and len(value.shape) == 1 and value.shape != (1,)",
    ),
    line(
        "_npi_diag_indices_from",
        torch="torch.arange(data.shape[0]).expand(data.ndim, -1)",
        both="np.stack(np.diag_indices_from(data))",
    ),
    line("_npx_nonzero", both="np.argwhere(x)"),
    line(
        "_onehot_encode",
        torch="F.one_hot(index, rhs.shape[1]).to(rhs.dtype)",
        both="(index[:, None] == places).astype(rhs.dtype)",
        prepare={"index": "whole(lhs)", "places": "xp.arange(rhs.shape[1])"},
        note=WHOLE,
    ),
    line(
        "fill_element_0index",
        torch="lhs.scatter(1, index, mhs[:, None])",
        numpy="assigned(lhs, (places, index[:, 0]), mhs)",
        jax="lhs.at[places, index[:, 0]].set(mhs)",
        prepare={"index": "whole(rhs).reshape(-1, 1)", "places": "xp.arange(lhs.shape[0])"},
        note=WHOLE,
    ),
    line("_ravel_multi_index", "xp.sum(data * strides, 0)", prepare={"strides": "index_strides(xp, shape, data)"}),
    line(
        "_unravel_index",
        "xp.stack(xp.unravel_index(data, shape))",
        cast=True,
        note=WHOLE,
        prepare={"shape": "tuple(shape)", "data": "whole(data)"},
    ),
    *(
        line(f"_npi_insert_{kind}", both=f"np.insert(arr, {place}, {inserted}, axis)", when=condition)
        for kind, place in (("scalar", "int_ind"), ("slice", "slice(start, stop, step)"), ("tensor", "obj"))
        for inserted, condition in (("values", "val is None"), ("val", "val is not None"))
    ),
    line("_npi_delete", both="np.delete(arr, int_ind, axis)", when="int_ind is not None"),
    line("_npi_delete", both="np.delete(arr, whole(obj), axis)", when="obj is not None", note=WHOLE),
    line("_npi_delete", both="np.delete(arr, slice(start, stop, step), axis)"),
)
