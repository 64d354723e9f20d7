"""Functions of tensors and numbers, element by element; reductions and counts; 8-bit inference."""

from __future__ import annotations

from typing import Any

from autoperf.implementations.implementation import line


def _straight(text: str) -> dict[str, Any]:
    return {
        "numpy": text,
        "torch": f"data + ({text} - data).detach()",
        "jax": f"data + lax.stop_gradient({text} - data)",
    }


# A half goes down, or away from zero. Adding 0.5 would round numbers next to it, and large ones.
_DOWN = "xp.where((top := xp.ceil({0})) - {0} < 0.5, top, top - 1)"
_AWAY = "(cut := xp.trunc(data)) + xp.trunc(2 * (data - cut))"
_NUMBER = {"number": "scalar_of(scalar, data.dtype)"}
_WHOLE = {"number": "int(scalar)"}


AXES = {"axes": "reduced_axes(data, axis, exclude)"}
_STATED = {"kind": "dtype_of(dtype)"}
_LIKE_NUMPY = {"axes": "reduced_axes(a, axis)", **_STATED}
_AXES = {"axes": "reduced_axes(data, axis)"}
_KIND = {"kind": "dtype_of(outputs[0].dtype)"}

LINES = (
    line("clip", jax="jnp.clip(data, a_min, a_max)"),
    line("_lesser_equal broadcast_lesser_equal", "lhs <= rhs", cast=True),
    line(
        "_contrib_allclose",
        torch="torch.isclose(a, b, rtol, atol, equal_nan).all()",
        numpy="np.asarray(np.allclose(a, b, rtol, atol, equal_nan))",
        cast=True,
    ),
    line("_npi_ldexp", "lhs * xp.exp2(rhs)"),
    line("cbrt", torch="torch.sign(data) * torch.abs(data) ** (1 / 3)"),
    line("_npi_cbrt", torch="torch.sign(x) * torch.abs(x) ** (1 / 3)"),
    line("rcbrt", torch="torch.sign(data) * torch.abs(data) ** (-1 / 3)", both="1 / np.cbrt(data)"),
    line("rsqrt", numpy="1 / np.sqrt(data)"),
    line("degrees", torch="torch.rad2deg(data)"),
    line("radians", torch="torch.deg2rad(data)"),
    line("_npi_degrees", torch="torch.rad2deg(x)"),
    line("_npi_radians", torch="torch.deg2rad(x)"),
    line("_npi_around", torch="torch.round(x, decimals=decimals)"),
    line("rint", _DOWN.format("data")),
    line("_npi_rint", _DOWN.format("x")),
    line("round _contrib_round_ste", "xp.round(data)", when="'float' not in data.dtype"),
    line("round", _AWAY),
    line("_contrib_round_ste", **_straight(_AWAY)),
    line("_contrib_sign_ste", **_straight("xp.sign(data)")),
    line("_contrib_quadratic", "a * data * data + b * data + c"),
    line(
        "_contrib_gradientmultiplier",
        numpy="np.copy(data)",
        torch="scalar * data + (1 - scalar) * data.detach()",
        jax="scalar * data + (1 - scalar) * lax.stop_gradient(data)",
    ),
    # PyTorch has the logarithm of its magnitude; it is negative between -1 and 0, -3 and -2, ...
    line("gamma", torch="torch.exp(torch.lgamma(data)) * (1 - 2 * (torch.floor(torch.clamp(data, max=0)) % 2))"),
    line("_rmod_scalar _npi_rmod_scalar", torch="torch.remainder(number, data)", prepare=_NUMBER),
    line("_hypot_scalar", "xp.hypot(data, number)", prepare=_NUMBER),
    line("_maximum_scalar", "xp.maximum(data, number)", prepare=_NUMBER),
    line("_minimum_scalar", "xp.minimum(data, number)", prepare=_NUMBER),
    line("_npi_arctan2_scalar", "xp.arctan2(data, number)", prepare=_NUMBER),
    line("_npi_rarctan2_scalar", "xp.arctan2(number, data)", prepare=_NUMBER, undifferentiated="torch jax"),
    line("_npi_copysign_scalar", "xp.copysign(data, number)", prepare=_NUMBER),
    line("_npi_rcopysign_scalar", "xp.copysign(number, data)", prepare=_NUMBER),
    line("_npi_lcm_scalar", "xp.lcm(data, number)", prepare=_NUMBER),
    line("_npi_ldexp_scalar", "data * 2**scalar"),
    line("_npi_rldexp_scalar", "scalar * xp.exp2(data)"),
    line("_npi_bitwise_and_scalar", "data & number", prepare=_WHOLE),
    line("_npi_bitwise_or_scalar", "data | number", prepare=_WHOLE),
    line("_npi_bitwise_xor_scalar", "data ^ number", prepare=_WHOLE),
    line("_logical_and_scalar", "xp.logical_and(data, number)", prepare=_NUMBER, cast=True),
    line("_logical_or_scalar", "xp.logical_or(data, number)", prepare=_NUMBER, cast=True),
    line("_logical_xor_scalar", "xp.logical_xor(data, number)", prepare=_NUMBER, cast=True),
    line("_lesser_equal_scalar", "data <= scalar", cast=True),
    line(
        "_contrib_quantized_flatten",
        torch="(torch.flatten(data, 1), min_data.clone(), max_data.clone())",
        both="(np.reshape(data, (data.shape[0], -1)), np.copy(min_data), np.copy(max_data))",
    ),
    line(
        "_contrib_quantized_act",
        torch="(torch.relu(data), min_data.clone(), max_data.clone())",
        both="(np.maximum(data, 0), np.copy(min_data), np.copy(max_data))",
        when="act_type == 'relu' and data.dtype == 'int8'",
    ),
    line(
        "_contrib_dequantize",
        "data * (xp.maximum(xp.abs(min_range), xp.abs(max_range)) / 127.5)",
        when="data.dtype == 'int8'",
    ),
    line("_contrib_dequantize", "data * ((max_range - min_range) / 255) + min_range", when="data.dtype == 'uint8'"),
    line(
        "_contrib_quantized_pooling",
        torch="(F.max_pool2d(data, kernel, strides, padding), min_data.clone(), max_data.clone())",
        both="(pool(data, kernel, strides, padding, 'max'), np.copy(min_data), np.copy(max_data))",
        when="pool_type == 'max' and not global_pool and pooling_convention == 'valid'",
        prepare={"strides": "spread(stride, len(kernel), 1)", "padding": "spread(pad, len(kernel), 0)"},
    ),
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
