"""What all tests share: the installed MXNet, opened once, and a cache of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autoperf.pipeline.release import Release, open_release


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor write the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOPERF_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def release(own_cache: None) -> Iterator[Release]:
    """The installed MXNet: its registry, its inference, and the rules."""
    with open_release() as opened:
        yield opened
