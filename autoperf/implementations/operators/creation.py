"""Arrays made from nothing."""

from __future__ import annotations

from autoperf.implementations.implementation import line

_KIND = {"kind": "dtype_of(dtype)"}
_SPACED = {**_KIND, "last": "start if stop is None else stop", "first": "0 if stop is None else start"}

LINES = (
    line("_full", torch="torch.full(shape, value, dtype=kind)", both="np.full(shape, value, kind)", prepare=_KIND),
    line("_npi_zeros _zeros", "xp.zeros(shape, dtype=kind)", prepare=_KIND),
    line("_npi_ones _ones", "xp.ones(shape, dtype=kind)", prepare=_KIND),
    line("_zeros_without_dtype", "xp.zeros(shape, dtype=xp.float32)", when="dtype in (-1, 0)"),
    line("_set_value", "xp.full(out.shape, src, dtype=out.dtype)"),
    line("_eye", torch="torch.eye(N, M or N, dtype=kind)", when="k == 0", prepare=_KIND),
    line("_npi_eye", torch="torch.eye(N, M or N, dtype=kind)", when="k == 0", prepare=_KIND),
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
)
