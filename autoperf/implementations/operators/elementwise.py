"""Functions of one or two tensors, or of a tensor and a number; 8-bit inference."""

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
)
