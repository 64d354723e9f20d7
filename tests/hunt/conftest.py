"""The fixtures of reports, for the tests of this room's."""

from __future__ import annotations

from tests.reports.conftest import rendered, run

__all__ = ["rendered", "run"]
