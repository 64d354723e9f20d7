"""A headless Chromium that opens pages, one for the tests of a module."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

REQUIRED = "AUTOPERF_REQUIRE_BROWSER"
"""Set to 1, a missing Chromium fails the tests instead of skipping them."""
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
)  # fmt: skip


def require_chromium() -> None:
    """Skips the tests of pages where Chromium isn't installed; fails them where it is required."""
    missing = [program for program in ("chromium", "chromedriver") if shutil.which(program) is None]
    if missing:
        reason = (
            f"pages are tested in Chromium: {' and '.join(missing)} not installed (apt-get install chromium-driver)"
        )
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(reason)
        pytest.skip(reason)


@contextmanager
def chromium() -> Iterator[Chrome]:
    """A browser with an empty profile; the console's messages are kept."""
    options = Options()
    options.binary_location = str(shutil.which("chromium"))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with tempfile.TemporaryDirectory(prefix="autoperf-browser-", ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        browser = Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
        try:
            yield browser
        finally:
            browser.quit()


def resize(browser: Chrome, width: int, height: int = 900) -> None:
    """A window of this size in CSS pixels; a narrow one is a phone's."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def prefer(browser: Chrome, scheme: str) -> None:
    """The colour scheme of the system: light or dark."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def visit(browser: Chrome, file: Path, fragment: str = "") -> None:
    """Opens a file, from nothing, so that a fragment alone loads it too."""
    browser.get("about:blank")
    browser.get(f"{file.as_uri()}{fragment}")
