"""What a spoilt cache costs: nothing but the time to find out again."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import BACKEND
from autoperf.core.operator import Registry
from autoperf.registry.cache import Cache


@pytest.mark.parametrize("spoilt", [b"\xaf", b"\x00", b'"\xff"', b""])
def test_bytes_that_are_no_text_are_no_registry(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: bytes
) -> None:
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path))
    library = tmp_path / "libmxnet.so"
    library.touch()
    cache = Cache(library, BACKEND)
    cache.save_registry(registry)
    cache.save_gradients({})
    assert cache.registry() == registry
    for file in tmp_path.glob("*.json"):
        file.write_bytes(file.read_bytes().replace(b"e", spoilt) + spoilt)
    assert cache.registry() is None or spoilt == b""
    assert cache.gradients() == {}
