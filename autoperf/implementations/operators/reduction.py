"""Reductions over axes; histograms, percentiles and counts."""

from __future__ import annotations

from autoperf.implementations.implementation import line

AXES = {"axes": "reduced_axes(data, axis, exclude)"}
_STATED = {"kind": "dtype_of(dtype)"}
_LIKE_NUMPY = {"axes": "reduced_axes(a, axis)", **_STATED}
_AXES = {"axes": "reduced_axes(data, axis)"}
_KIND = {"kind": "dtype_of(outputs[0].dtype)"}

LINES = (
    *(line(name, f"xp.{name}(data, axes, keepdims=keepdims)", prepare=AXES) for name in ("sum", "mean", "nansum")),
    line("max", torch="torch.amax(data, axes, keepdims)", both="np.max(data, axes, keepdims=keepdims)", prepare=AXES),
    line("min", torch="torch.amin(data, axes, keepdims)", both="np.min(data, axes, keepdims=keepdims)", prepare=AXES),
    line("prod", torch="product(data, axes, keepdims)", both="np.prod(data, axes, keepdims=keepdims)", prepare=AXES),
    line(
        "nanprod",
        torch="product(torch.where(torch.isnan(data), 1, data), axes, keepdims)",
        both="np.nanprod(data, axes, keepdims=keepdims)",
        prepare=AXES,
    ),
    *(
        line("norm", both=text, when=f"ord == {order} and out_dtype is None", prepare=_AXES)
        for order, text in (
            (2, "np.sqrt(np.sum(np.square(data), axes, keepdims=keepdims))"),
            (1, "np.sum(np.abs(data), axes, keepdims=keepdims)"),
        )
    ),
    line(
        "_npi_norm",
        torch="torch.linalg.vector_norm(data, 2, axes, keepdims)",
        both="np.sqrt(np.sum(np.square(data), axes, keepdims=keepdims))",
        when="flag in (-2, 1) or (flag == -1 and ord == 2 and axis is not None and len(axis) == 1)",
        prepare=_AXES,
    ),
    line(
        "_npi_norm",
        torch="torch.linalg.matrix_norm(data, 'nuc', axis, keepdims)",
        both="np.linalg.norm(data, 'nuc', axis, keepdims)",
        when="flag == 2",
    ),
    line("_np_sum", torch="torch.sum(a, axes, keepdims, dtype=kind)", prepare=_LIKE_NUMPY, when="initial is None"),
    line("_npi_mean", torch="torch.mean(a, axes, keepdims, dtype=kind)", prepare=_LIKE_NUMPY),
    line("_np_prod", torch="product(a, axes, keepdims)", prepare=_LIKE_NUMPY, when="initial is None and dtype is None"),
    *(
        line(
            f"_npi_{name}",
            torch=f"torch.{name}(a, axes, correction=ddof, keepdim=keepdims)",
            jax=f"jnp.{name}(a, axes, ddof=ddof, keepdims=keepdims)",
            prepare=_LIKE_NUMPY,
            when="dtype is None",
        )
        for name in ("std", "var")
    ),
    line(
        "_npi_average",
        torch="torch.sum(a * weights, axes) / torch.sum(weights.broadcast_to(a.shape), axes)",
        both="np.average(a, axis, weights)",
        when="weighted and not returned and weights.shape == a.shape",
        prepare={"axes": "reduced_axes(a, axis)"},
    ),
    line(
        "_npi_average",
        torch="torch.mean(a, axes)",
        both="np.average(a, axis)",
        when="not weighted and not returned",
        prepare={"axes": "reduced_axes(a, axis)"},
    ),
    line(
        "moments",
        torch="torch.var_mean(data, axes, correction=0, keepdim=keepdims)[::-1]",
        both="(np.mean(data, axes, keepdims=keepdims), np.var(data, axes, keepdims=keepdims))",
        prepare={"axes": "reduced_axes(data, axes)"},
    ),
    line("all_finite", "xp.all(xp.isfinite(data))", cast=True),
    line(
        "multi_all_finite",
        torch="torch.stack([torch.all(torch.isfinite(array)) for array in data]).all()",
        both="np.all(np.array([np.all(np.isfinite(array)) for array in data]))",
        cast=True,
    ),
    line("multi_sum_sq", "xp.stack([xp.sum(xp.square(array)) for array in data])", when="data[0].dtype == 'float32'"),
    line("_npi_bincount", "xp.bincount(data, minlength=minlength)", when="not has_weights", cast=True),
    line(
        "_npi_bincount",
        torch="torch.bincount(data, weights, minlength)",
        both="np.bincount(data, weights, minlength).astype(weights.dtype)",
        when="has_weights",
    ),
    line(
        "_histogram",
        torch="histogram(data, bin_cnt, range)",
        numpy="np.histogram(data, bin_cnt, range)",
        jax="histogram(data, bin_cnt, range)",
        when="bin_cnt is not None",
    ),
    line(
        "_npi_percentile",
        torch="percentile(a, q_scalar, axis, interpolation, keepdims)",
        both="np.asarray(np.percentile(a, q_scalar, axis, method=interpolation, keepdims=keepdims), kind)",
        when="q_scalar is not None and (axis is None or len(axis) == 1)",
        prepare=_KIND,
    ),
    *(
        line(
            "_npi_percentile",
            both=f"np.asarray(np.percentile(a, {share}, axis, method=interpolation, keepdims=keepdims), kind)",
            when=condition,
            prepare=_KIND,
        )
        for share, condition in (("q_scalar", "q_scalar is not None"), ("q", "q_scalar is None"))
    ),
    line("_np_cumsum", torch="torch.cumsum(a, axis, dtype=kind)", when="axis is not None", prepare=_STATED),
    line("_np_cumsum", torch="torch.cumsum(a.flatten(), 0, dtype=kind)", when="axis is None", prepare=_STATED),
    line(
        "_npi_ediff1d",
        torch="torch.diff(input1.flatten())",
        both="np.ediff1d(input1)",
        when="not to_begin_arr_given and not to_end_arr_given and to_begin_scalar is None and to_end_scalar is None",
    ),
    line(
        "_npi_ediff1d",
        both="np.ediff1d(input1, to_end_scalar, to_begin_scalar)",
        when="not to_begin_arr_given and not to_end_arr_given",
    ),
)
