"""MXNet's library, loaded once for the tests of this room."""

import pytest

from autoperf.capi.library import Library, find_library, open_library


@pytest.fixture(scope="session")
def library() -> Library:
    return open_library(find_library())
