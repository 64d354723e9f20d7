"""MXNet's codes of dtypes, storages and devices."""

from __future__ import annotations

from autoperf.core.errors import EngineError
from autoperf.core.tensors import Storage

DTYPE_CODES = {
    "float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6, "bool": 7, "bfloat16": 12,
}  # fmt: skip
DTYPE_NAMES = {code: name for name, code in DTYPE_CODES.items()}
STORAGES: dict[int, Storage] = {0: "default", 1: "row_sparse", 2: "csr"}
STORAGE_CODES = {name: code for code, name in STORAGES.items()}
INDEX_ARRAYS: dict[Storage, int] = {"default": 0, "row_sparse": 1, "csr": 2}
DEVICES = {"cpu": 1, "gpu": 2, "cpu_pinned": 3, "cpu_shared": 5}


def dtype_name(code: int) -> str:
    """The name of MXNet's dtype code; raises EngineError for an unknown one."""
    try:
        return DTYPE_NAMES[code]
    except KeyError:
        raise EngineError(f"MXNet returned an array with the unknown dtype code {code}") from None
