"""Caches a library's registry and gradients in the user's cache folder (or $AUTOPERF_CACHE).

The cache only saves time: missing, unreadable and outdated entries are computed again, and a folder that can't be
written is ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import msgspec

from autoperf import __version__
from autoperf.core.files import cache_folder, write_atomic
from autoperf.core.operator import Registry
from autoperf.registry.calls import Gradient, InferenceCall, uses_np_shape

T = TypeVar("T")
FORMAT = 1
"""The format of stored registries."""


class ServedFramework(Protocol):
    """The framework that a registry service loads, and whose registries are stored."""

    @property
    def name(self) -> str:
        """The name by which the service finds it."""

    @property
    def title(self) -> str:
        """The framework's name in messages."""

    @property
    def code(self) -> tuple[Path, ...]:
        """The files whose content decides how operators are read."""

    @property
    def beside(self) -> tuple[Path, ...]:
        """Files that are loaded with every build."""

    def variables(self, kind: Literal["registry"], /) -> Mapping[str, str]:
        """The environment variables of the service."""


def library_key(library: Path, source: ServedFramework) -> str:
    """A digest of a library and the files loaded with it (paths, sizes, times), and of the code that reads it."""
    files = "\0".join(_identity(file) for file in (library, *source.beside))
    digest = hashlib.sha256(f"{files}\0{FORMAT}\0{__version__}".encode())
    for file in sorted((*Path(__file__).parent.glob("*.py"), *source.code)):
        with contextlib.suppress(OSError):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _identity(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return str(file)
    return f"{file}\0{status.st_size}\0{status.st_mtime_ns}"


def call_key(call: InferenceCall) -> str:
    """A digest of a call."""
    identity = {**msgspec.to_builtins(call), "np_shape": uses_np_shape(call)}
    return hashlib.sha256(msgspec.msgpack.encode(identity, order="deterministic")).hexdigest()[:24]


class Cache:
    """The cached registry and gradients of one library."""

    def __init__(self, library: Path, source: ServedFramework) -> None:
        key = library_key(library, source)
        self._registry = cache_folder() / f"registry-{key}.json"
        self._gradients = cache_folder() / f"gradients-{key}.json"

    def registry(self) -> Registry | None:
        """The cached registry, or None."""
        registry = load(self._registry, Registry)
        return registry if registry and registry.format == FORMAT else None

    def save_registry(self, registry: Registry) -> None:
        """Store the registry."""
        save(self._registry, msgspec.json.encode(registry))

    def gradients(self) -> dict[str, Gradient]:
        """Gradients by call key."""
        return load(self._gradients, dict[str, Gradient]) or {}

    def save_gradients(self, gradients: dict[str, Gradient]) -> None:
        """Store gradients."""
        save(self._gradients, msgspec.json.encode(gradients))


def load(path: Path, kind: type[T]) -> T | None:
    """The value in a file; None for a missing or invalid one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def save(path: Path, data: bytes) -> None:
    """Write a file atomically; ignores a folder that can't be written."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
