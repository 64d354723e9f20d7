"""What all tests share: the installed MXNet, opened once, the pre-release beside it, and a cache of their own."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.backends.mxnet.capi.library import Library, open_library
from autoperf.cases.release import Release, open_release
from autoperf.core.files import FRAMEWORKS_VARIABLE, RELEASES_VARIABLE
from tests.forked_program import Program, forked_program

NEXT = "2.0.0b1"


def pytest_configure() -> None:
    """A shell that runs the tests in the background has them ignore Ctrl-C, and all programs that they start too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """What was collected lives until the end: each module's search for garbage would go through all of it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor write the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOPERF_CACHE", str(tmp_path_factory.mktemp("cache")))
        # Releases are large: they stay with the virtual environment, where `make test` puts them.
        patch.setenv(RELEASES_VARIABLE, os.environ.get(RELEASES_VARIABLE) or str(Path(sys.prefix) / "releases"))
        folder = os.environ.get(FRAMEWORKS_VARIABLE) or str(Path(sys.prefix) / "frameworks")
        patch.setenv(FRAMEWORKS_VARIABLE, folder)
        # Selenium brings trio, whose plugin has every process that imports Hypothesis import pytest.
        patch.setenv("HYPOTHESIS_NO_PLUGINS", "1")
        yield


@pytest.fixture(scope="module", autouse=True)
def garbage_is_collected() -> Iterator[None]:
    """A file that a module's tests leave open fails there, and no test of a later module, whichever that is."""
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def usual_interrupts() -> None:
    """Ctrl-C ends a test at once, though an iterator that another test left open may still hold interrupts back."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program(own_cache: None) -> Iterator[Program]:
    """The program, each command line in a process of its own."""
    with forked_program() as program:
        yield program


@pytest.fixture(scope="session")
def library() -> Library:
    """The installed MXNet's library, loaded in the tests' own process."""
    return open_library(find_library())


@pytest.fixture(scope="session")
def release(own_cache: None) -> Iterator[Release]:
    """The installed MXNet: its registry, its inference, and the rules."""
    with open_release() as opened:
        yield opened


@pytest.fixture(scope="session")
def next_library(own_cache: None) -> Path:
    """The library of MXNet 2.0.0b1. Where `make` didn't install it, it is installed now, once for all processes."""
    command = [sys.executable, "-m", "autoperf", "releases", "install", NEXT]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        place = os.environ[RELEASES_VARIABLE]
        pytest.fail(
            f"these tests need MXNet {NEXT} in {place}, and it can't be installed there: {ended.stderr.strip()}\n"
            f"With a network, `make test` brings it; or {RELEASES_VARIABLE}={place} autoperf releases install {NEXT}"
        )
    return find_library(NEXT)


@pytest.fixture(scope="session")
def next_release(next_library: Path) -> Iterator[Release]:
    """MXNet 2.0.0b1: its registry, its inference, and the rules."""
    with open_release(str(next_library)) as opened:
        yield opened


@pytest.fixture(params=["release", "next_release"])
def either(request: pytest.FixtureRequest) -> Release:
    """The installed MXNet, then the pre-release."""
    release: Release = request.getfixturevalue(request.param)
    return release
