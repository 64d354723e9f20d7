"""MXNet's registry, crawled and asked once for the tests of this package."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import BACKEND
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.crawl import crawl
from autoperf.core.operator import Registry
from autoperf.registry.client import RegistryClient


@pytest.fixture(scope="session")
def registry(library: Library) -> Registry:
    return crawl(library)


@pytest.fixture
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def client(library: Library) -> Iterator[RegistryClient]:
    with RegistryClient(BACKEND, library.path, cached=False) as client:
        yield client
