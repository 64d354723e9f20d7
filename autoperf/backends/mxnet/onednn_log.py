"""oneDNN's own log of the kernels that it runs, which names the implementation of each."""

from __future__ import annotations

import os
import re

from autoperf.core.work import Part

VARIABLES = {"MKLDNN_VERBOSE": "1", "DNNL_VERBOSE": "1", "ONEDNN_VERBOSE": "1"}
"""Variables of the environment by which its versions write the log to the output of a process."""
_KERNEL = re.compile(
    r"^(?:mkl|one)?dnnl?_verbose,(?:v\d+,)?(?:primitive,)?exec,(?:[cg]pu\d*,)?([^,]+),([^,]+),", re.MULTILINE
)
_REORDER = "reorder"
MAX_NAMED = 2


def is_logged() -> bool:
    """Whether this process has the log."""
    return all(os.environ.get(name) not in (None, "", "0") for name in VARIABLES)


def library_of(log: str) -> str:
    """`oneDNN jit:avx2`: the implementations that ran, in their order; empty where none did.

    Changes of layouts (`reorder`) count where nothing else ran: a transposition is one.
    """
    ran = _KERNEL.findall(log)
    computed = [each for each in ran if each[0] != _REORDER]
    names = list(dict.fromkeys(name for _, name in computed or ran))
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    return f"{Part.ONEDNN.value} {', '.join((*names[:MAX_NAMED], *more))}" if names else ""
