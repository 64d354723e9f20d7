"""The frameworks that `make test` installs beside the virtual environment, for tests that need them."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.backends.python_framework import environment_python, installed_versions
from autoperf.core.files import FRAMEWORKS_VARIABLE, frameworks_folder


def require(name: str) -> Path:
    """The interpreter of a framework. Skips a test whose framework isn't installed."""
    versions = installed_versions(name)
    if not versions:
        pytest.skip(
            f"{name} isn't installed: `{FRAMEWORKS_VARIABLE}={frameworks_folder()} autoperf frameworks install {name}`"
        )
    return environment_python(name, versions[-1])
