"""Concatenate, stack and split."""

from __future__ import annotations

from autoperf.implementations.implementation import line

_AT = {"places": "split_places(data.shape[axis], indices, sections)"}
_SIZES = {"sizes": "split_sizes(data.shape[axis], indices, sections)"}
_SQUEEZED = "[part.squeeze(axis) for part in {}]"

LINES = (
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
