"""An open release, for tests that ask MXNet's inference."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autoperf.pipeline.release import Release, open_release


@pytest.fixture(scope="session")
def release() -> Iterator[Release]:
    with open_release() as opened:
        yield opened
