"""A process that tries cases on both releases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.cases.release import Release
from autoperf.measurement.settings import Settings
from autoperf.measurement.trial_client import TrialClient
from tests.rules.canonical_cases import PATIENCE


@pytest.fixture
def trier(either: Release, tmp_path: Path) -> Iterator[TrialClient]:
    with TrialClient(either.library, Settings(timeout=PATIENCE), tmp_path) as running:
        yield running
