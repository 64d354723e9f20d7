"""Installing releases side by side, by pip from a folder of wheels that hold the installed library once more."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from autoperf.backends.mxnet.backend import BACKEND, LIBRARY_VARIABLE, find_library
from autoperf.backends.mxnet.capi.front_end import has_front_end
from autoperf.backends.releases import FILE_NAME
from autoperf.core.errors import LibraryError
from autoperf.core.files import RELEASES_VARIABLE
from autoperf.machine.releases import install, pip_problem
from autoperf.registry.client import RegistryClient

# A version that the installed library, 1.9.1, can be of: pip's suffix is read from the package.
GOOD, EMPTY, BROKEN = "1.9.1.post7", "1.9.1.post8", "1.9.1.post9"
USELESS = {"mxnet/__init__.py": b"", "mxnet/include/c_api.h": b"", "tracker/run.py": b"", "mxnet/tools/a.py": b""}
WANTED = {"mxnet/SOME_LICENSE": b"free", "mxnet/COMMIT_HASH": b"abc", "mxnet/libother.so.3": b"", "mxnet/NOTICE": b""}

# The library with those that it links.
LIBRARIES = sorted(find_library("installed").parent.glob("*.so*"))

Autoperf = Callable[..., subprocess.Popen[str]]


def wheel(folder: Path, version: str, files: dict[str, bytes], libraries: Sequence[Path] = ()) -> None:
    info = f"mxnet-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: mxnet\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    names = [*files, *(f"mxnet/{library.name}" for library in libraries), f"{info}/RECORD"]
    with zipfile.ZipFile(folder / f"mxnet-{version}-py3-none-any.whl", "w") as made:
        for name, data in files.items():
            made.writestr(name, data)
        for library in libraries:
            made.write(library, f"mxnet/{library.name}")
        made.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in names))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What pip finds: a good wheel, one without a library, and one whose library is none."""
    folder = tmp_path_factory.mktemp("wheels")
    wheel(folder, GOOD, {**USELESS, **WANTED}, LIBRARIES)
    wheel(folder, EMPTY, USELESS)
    wheel(folder, BROKEN, {**USELESS, f"mxnet/{FILE_NAME}": b"not ELF"})
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty releases folder; pytest keeps what tests leave, so it is emptied again."""
    place = tmp_path / "releases"
    monkeypatch.setenv(RELEASES_VARIABLE, str(place))
    monkeypatch.delenv(LIBRARY_VARIABLE, raising=False)
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def autoperf(wheels: Path, folder: Path) -> Autoperf:
    """Starts `autoperf releases`, with a pip that knows the wheels alone."""

    def start(*arguments: str, **variables: str) -> subprocess.Popen[str]:
        pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
        return subprocess.Popen(
            [sys.executable, "-m", "autoperf", "releases", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **pip, "COLUMNS": "200", **variables},
        )

    return start


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate()
    return process.returncode, out, err


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith(".lock"))


def test_a_release_is_installed_listed_found_and_removed(autoperf: Autoperf, folder: Path) -> None:
    code, out, err = ended(autoperf("install", GOOD))
    assert (code, out.split(":")[0]) == (0, f"MXNet {GOOD}"), err
    kept = folder / GOOD
    assert visible(folder) == [GOOD]
    info = f"mxnet-{GOOD}.dist-info"
    files = {str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()}
    assert {name for name in files if not name.startswith(info)} == {
        *(f"mxnet/{library.name}" for library in LIBRARIES),
        *WANTED,
    }
    assert f"{info}/METADATA" in files

    code, out, _ = ended(autoperf("install", GOOD))
    assert (code, out) == (0, f"MXNet {GOOD} is already installed\n")

    listed = json.loads(ended(autoperf("list", "--format", "json"))[1])["releases"]
    assert [(row["version"], row["origin"], row["default"]) for row in listed] == [
        ("1.9.1", "installed", True),
        (GOOD, "releases", False),
    ]
    assert listed[1]["bytes"] > listed[0]["bytes"] // 2
    path = ended(autoperf("path", GOOD))[1].strip()
    assert path == listed[1]["library"] == str(find_library(GOOD))
    with RegistryClient(BACKEND, Path(path)) as client:
        assert client.registry().mxnet == GOOD

    assert not has_front_end(Path(path))
    assert ended(autoperf("install", "--package", GOOD))[1].startswith(f"MXNet {GOOD}: ")
    assert has_front_end(Path(path))
    assert visible(folder) == [GOOD]
    for package in ([], ["--package"]):
        assert ended(autoperf("install", *package, GOOD))[1] == f"MXNet {GOOD} is already installed\n"

    assert GOOD in ended(autoperf("list", AUTOPERF_MXNET=GOOD))[1].split("*")[1]
    assert ended(autoperf("remove", GOOD))[0] == 0
    assert visible(folder) == []
    code, _, err = ended(autoperf("remove", GOOD))
    assert code == 2
    assert f"MXNet {GOOD} is not in {folder}" in err


def test_the_installed_package_needs_no_second_copy(autoperf: Autoperf, folder: Path) -> None:
    assert ended(autoperf("install", "1.9.1"))[:2] == (0, "MXNet 1.9.1 is already installed\n")
    code, _, err = ended(autoperf("remove", "1.9.1"))
    assert code == 2
    assert "pip uninstall mxnet" in err


def test_two_at_once_install_one(autoperf: Autoperf, folder: Path) -> None:
    found = [ended(process) for process in [autoperf("install", GOOD), autoperf("install", GOOD)]]
    assert [code for code, _, _ in found] == [0, 0]
    assert sorted("already" in out for _, out, _ in found) == [False, True]
    assert visible(folder) == [GOOD]


@pytest.mark.parametrize(
    ("version", "detail"),
    [
        (EMPTY, f"has no {FILE_NAME}"),
        (BROKEN, f"was removed: {FILE_NAME} can't be loaded"),
        ("9.9.9", "No matching distribution found for mxnet==9.9.9; known to work are 1.5.1.post0, 1.6.0"),
        ("latest", "expected a version of MXNet; known to work are 1.5.1.post0, 1.6.0"),
    ],
)
def test_what_is_of_no_use_leaves_nothing(autoperf: Autoperf, folder: Path, version: str, detail: str) -> None:
    code, out, err = ended(autoperf("install", version))
    assert (code, out) == (2, "")
    assert detail in err
    assert "Traceback" not in err
    assert not folder.exists() or visible(folder) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_install_that_is_ended_leaves_nothing_that_counts(autoperf: Autoperf, folder: Path, number: int) -> None:
    process = autoperf("install", GOOD)
    new = folder / f".new-{GOOD}"
    deadline = time.monotonic() + 60
    while not new.is_dir() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(number)
    code, _, err = ended(process)
    if number == signal.SIGINT:
        assert (code, visible(folder)) == (130, [])
        assert "interrupted" in err
    else:
        assert code == -signal.SIGKILL
        assert visible(folder) == [new.name]
        assert ended(autoperf("install", GOOD))[0] == 0
        assert visible(folder) == [GOOD]


def test_a_folder_that_cannot_be_written_is_named(autoperf: Autoperf, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    code, _, err = ended(autoperf("install", GOOD, AUTOPERF_RELEASES=str(file / "releases")))
    assert code == 2
    assert f"can't write into {file / 'releases'}" in err
    assert "AUTOPERF_RELEASES" in err


def test_a_python_without_pip_says_what_to_do(folder: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(LibraryError, match=r"has no pip .*ensurepip.*--mxnet PATH"):
        install(GOOD, lambda _line: None)
    assert visible(folder) == []


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"),
        (
            "WARNING: a\nERROR: Could not find (from versions: none)\nERROR: No matching distribution",
            "check the network",
        ),
        ("ERROR: Can not combine '--user' and '--target'", "Can not combine"),
        ("odd", "odd"),
        ("", "no output"),
    ],
)
def test_what_pip_says_is_told_with_what_to_do(said: str, means: str) -> None:
    assert means in pip_problem("1.6.0", said)
