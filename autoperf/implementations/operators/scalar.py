"""Functions of a tensor and a number."""

from __future__ import annotations

from autoperf.implementations.implementation import line

_NUMBER = {"number": "scalar_of(scalar, data.dtype)"}
_WHOLE = {"number": "int(scalar)"}

LINES = (
    line("_rminus_scalar _npi_rsubtract_scalar", "scalar - data"),
    line("_rdiv_scalar _npi_rtrue_divide_scalar", "scalar / data"),
    line("_rpower_scalar _npi_rpower_scalar", torch="torch.pow(scalar, data)", both="np.power(scalar, data)"),
    line(
        "_rmod_scalar _npi_rmod_scalar",
        torch="torch.remainder(number, data)",
        both="np.mod(scalar, data)",
        prepare=_NUMBER,
    ),
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
)
