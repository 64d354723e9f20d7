"""Both releases that the rules speak for, one after the other."""

from __future__ import annotations

import pytest

from autoperf.pipeline.release import Release


@pytest.fixture(params=["release", "next_release"])
def either(request: pytest.FixtureRequest) -> Release:
    """The installed MXNet, then the pre-release."""
    release: Release = request.getfixturevalue(request.param)
    return release
