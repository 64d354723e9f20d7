"""The roofline is measured by MXNet, remembered, and measured again where it has to be. Nothing is said of its figures
but that they are ones."""

from __future__ import annotations

import datetime as dt
import math
from pathlib import Path

import msgspec
import pytest

from autoperf.backends.mxnet.backend import find_library
from autoperf.core.errors import LibraryError
from autoperf.core.files import CACHE_VARIABLE, cache_folder
from autoperf.core.machine import Roofline
from autoperf.measurement.machine_state import (
    BUSY_LIFETIME,
    LIFETIME,
    fastest,
    known_roofline,
    last_level_cache,
    roofline,
    roofline_path,
)

REMEMBERED = Roofline(
    bandwidth=1e9, cached_bandwidth=2e9, cache_bytes=2**20, flops={"float32": 2e9, "float64": 1e9}, overhead_us=5.0,
    load=0.0, processors=2, measured=dt.datetime.now(dt.timezone.utc),
)  # fmt: skip


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Roofline:
    """What replaced, in a cache of its own, what was remembered."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(tmp_path_factory.mktemp("cache")))
        place = roofline_path(find_library(), {})
        place.write_bytes(msgspec.json.encode(REMEMBERED))
        assert roofline(find_library()) == msgspec.structs.replace(REMEMBERED, cached=True)
        found = roofline(find_library(), anew=True)
        assert known_roofline(find_library()) == msgspec.structs.replace(found, cached=True)
        assert list(cache_folder().glob("roofline-*.json")) == [place]
    return found


@pytest.fixture
def file(measured: Roofline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What was measured, remembered in a cache of the test's own."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    place = roofline_path(find_library(), {})
    place.write_bytes(msgspec.json.encode(measured))
    return place


def test_every_figure_is_a_positive_number(measured: Roofline) -> None:
    figures = [measured.bandwidth, measured.cached_bandwidth, measured.overhead_us, *measured.flops.values()]
    assert all(math.isfinite(figure) and figure > 0 for figure in figures)
    assert set(measured.flops) == {"float32", "float64"}
    assert measured.cache_bytes > 0


def test_anew_replaces_what_is_remembered(measured: Roofline) -> None:
    assert not measured.cached
    assert measured.bandwidth != REMEMBERED.bandwidth


@pytest.mark.usefixtures("file")
def test_it_is_measured_once(measured: Roofline) -> None:
    assert roofline(find_library()) == msgspec.structs.replace(measured, cached=True)


@pytest.mark.parametrize("variable", ["OMP_NUM_THREADS", "MXNET_CPU_WORKER_NTHREADS", "MKL_NUM_THREADS"])
def test_other_threads_are_another_machine(variable: str) -> None:
    library = find_library()
    assert roofline_path(library, {variable: "1"}) != roofline_path(library, {variable: "2"})
    assert roofline_path(library, {"UNRELATED": "1"}) == roofline_path(library, {"UNRELATED": "2"})


def test_another_library_is_another_machine(next_library: Path) -> None:
    assert roofline_path(find_library(), {}) != roofline_path(next_library, {})


@pytest.mark.parametrize("broken", ["", "{", '{"bandwidth": 1}', "[]", "\x00"])
def test_what_cannot_be_read_is_forgotten(file: Path, broken: str) -> None:
    assert known_roofline(find_library()) is not None
    file.write_text(broken)
    assert known_roofline(find_library()) is None


@pytest.mark.parametrize(
    "change",
    [
        {"bandwidth": 0.0},
        {"cached_bandwidth": -1.0},
        {"flops": {"float32": 1.0}},
        {"load": 0.0, "measured": dt.datetime.now(dt.timezone.utc) - LIFETIME - dt.timedelta(seconds=1)},
        {"load": 999.0, "measured": dt.datetime.now(dt.timezone.utc) - BUSY_LIFETIME - dt.timedelta(seconds=1)},
        {"measured": dt.datetime.now(dt.timezone.utc) + dt.timedelta(days=1)},
        {"measured": dt.datetime(2026, 1, 1)},
    ],
)
def test_what_is_old_or_makes_no_sense_is_forgotten(file: Path, change: dict[str, object]) -> None:
    remembered = known_roofline(find_library())
    assert remembered
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(remembered, **change)))
    assert known_roofline(find_library()) is None


def test_that_of_an_idle_machine_holds_for_longer(file: Path, measured: Roofline) -> None:
    old = dt.datetime.now(dt.timezone.utc) - BUSY_LIFETIME * 2
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(measured, load=0.0, measured=old)))
    assert known_roofline(find_library()) is not None


def test_a_library_that_is_none_is_an_error(tmp_path: Path) -> None:
    library = tmp_path / "libmxnet.so"
    library.write_text("no library")
    with pytest.raises(LibraryError):
        roofline(library)


@pytest.mark.parametrize(
    ("times", "figure"),
    [((5.0,), 5.0), ((9.0, 3.0, 7.0), 3.0), (tuple(float(time) for time in range(30, 0, -1)), 2.0)],
)
def test_the_fastest_tenth(times: tuple[float, ...], figure: float) -> None:
    assert fastest(times) == figure


def test_the_last_level_of_cache_is_the_largest(tmp_path: Path) -> None:
    for index, size in enumerate(("32K", "1024K", "35M", "odd")):
        (tmp_path / f"index{index}").mkdir()
        (tmp_path / f"index{index}" / "size").write_text(f"{size}\n")
    assert last_level_cache(tmp_path) == 35 * 2**20
    assert last_level_cache(tmp_path / "nowhere") == 0
