"""Histograms, percentiles, counts."""

from __future__ import annotations

from autoperf.implementations.implementation import line

_KIND = {"kind": "dtype_of(outputs[0].dtype)"}

LINES = (
    line(
        "_npi_bincount",
        torch="torch.bincount(data, minlength=minlength)",
        both="np.bincount(data, minlength=minlength)",
        when="not has_weights",
        cast=True,
    ),
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
    line(
        "_npi_percentile",
        both="np.asarray(np.percentile(a, q_scalar, axis, method=interpolation, keepdims=keepdims), kind)",
        when="q_scalar is not None",
        prepare=_KIND,
    ),
    line(
        "_npi_percentile",
        both="np.asarray(np.percentile(a, q, axis, method=interpolation, keepdims=keepdims), kind)",
        when="q_scalar is None",
        prepare=_KIND,
    ),
    line(
        "_np_cumsum",
        torch="torch.cumsum(a, axis, dtype=kind)",
        when="axis is not None",
        prepare={"kind": "dtype_of(dtype)"},
    ),
    line(
        "_np_cumsum",
        torch="torch.cumsum(a.flatten(), 0, dtype=kind)",
        when="axis is None",
        prepare={"kind": "dtype_of(dtype)"},
    ),
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
