"""Functions of one or two tensors."""

from __future__ import annotations

from typing import Any

from autoperf.implementations.implementation import line


def _straight(text: str) -> dict[str, Any]:
    """A function whose gradient is that of the identity."""
    return {
        "torch": f"data + ({text.format('torch')} - data).detach()",
        "jax": f"data + lax.stop_gradient({text.format('jnp')} - data)",
    }


LINES = (
    line("clip", jax="jnp.clip(data, a_min, a_max)"),
    line("_lesser_equal broadcast_lesser_equal", "lhs <= rhs", cast=True),
    line("_contrib_allclose", torch="torch.isclose(a, b, rtol, atol, equal_nan).all()", cast=True),
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
    line("_contrib_round_ste", numpy="np.round(data)", **_straight("{}.round(data)")),
    line("_contrib_sign_ste", numpy="np.sign(data)", **_straight("{}.sign(data)")),
    line("_contrib_quadratic", "a * data * data + b * data + c"),
    line(
        "_contrib_gradientmultiplier",
        numpy="np.copy(data)",
        torch="scalar * data + (1 - scalar) * data.detach()",
        jax="scalar * data + (1 - scalar) * lax.stop_gradient(data)",
    ),
    line("gamma", torch="torch.exp(torch.lgamma(data))", jax="jsp.special.gamma(data)"),
    line("gammaln", jax="jsp.special.gammaln(data)"),
    line("erf", jax="jsp.special.erf(data)"),
    line("erfinv", jax="jsp.special.erfinv(data)"),
)
