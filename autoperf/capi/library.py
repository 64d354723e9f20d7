"""Finds, opens and speaks to libmxnet.so."""

from __future__ import annotations

import contextlib
import ctypes as c
import importlib.util
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from autoperf.capi.extensions import EXTENSIONS_VARIABLE, extensions
from autoperf.capi.messages import first_sentence
from autoperf.capi.prototypes import FUNCTIONS, OF_NNVM, FeatureEntry
from autoperf.capi.releases import (
    FILE_NAME,
    INSTALLED,
    find_release,
    find_releases,
    is_version,
    missing,
    normal,
    versions_beside,
)
from autoperf.core.errors import EngineError, LibraryError, UsageError

LIBRARY_VARIABLE = "AUTOPERF_MXNET"
OLDEST = 10500
EXTENSIBLE = 10700
# In C, a dimension of a shape: 64 bits where the library has one of these functions (from 1.6.0 on), else 32.
WIDE = ("MXNDArrayCreateEx64", "MXNDArrayCreate64")
Extent: TypeAlias = type[c.c_int64] | type[c.c_int32]

# The system libraries that MXNet's wheels expect, and the Debian package that has each.
DEBIAN_PACKAGES = {
    "libgomp.so.1": "libgomp1",
    "libquadmath.so.0": "libquadmath0",
    "libgfortran.so.3": "libgfortran3",
    "libgfortran.so.4": "libgfortran4",
    "libgfortran.so.5": "libgfortran5",
    "libstdc++.so.6": "libstdc++6",
    "libgcc_s.so.1": "libgcc-s1",
}


def find_library(hint: str | None = None) -> Path:
    """The path of libmxnet.so: from `hint`, else $AUTOPERF_MXNET, else the default release.

    The default is the installed `mxnet` package, or without one the only release that `autoperf releases install` made.

    A hint is a release (`1.6.0`: the installed package if it is that one, else what `autoperf releases install` put
    beside it), `installed`, the file, or a directory that has it (or has `mxnet/` with it). The package is located,
    never imported. Raises LibraryError that says what to do.
    """
    given = hint or os.environ.get(LIBRARY_VARIABLE)
    if not given:
        return _default()
    if given == INSTALLED:
        return _installed()
    if is_version(given):
        return _released(normal(given))
    return _given(given, "given" if hint else f"in {LIBRARY_VARIABLE}")


def _given(text: str, origin: str) -> Path:
    """The library at a path that somebody named, in `origin`."""
    advice = f"name {FILE_NAME}, the folder that has it, or a release (`autoperf releases list` shows them)"
    try:
        path = Path(text).expanduser()
        path.stat()
        found = _in([path])
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LibraryError(f"the path {origin}, {text!r} has no {FILE_NAME}: {reason}; {advice}") from None
    if found is None:
        raise LibraryError(f"the path {origin}, {text!r} has no {FILE_NAME}, nor a folder mxnet with it; {advice}")
    return found


def _default() -> Path:
    if _package():
        return _installed()
    releases = list(find_releases())
    if len(releases) > 1:
        names = ", ".join(release.version for release in releases)
        raise LibraryError(
            f"which MXNet? {names} are installed side by side; name one: --mxnet {releases[-1].version}, "
            f"or set {LIBRARY_VARIABLE}"
        )
    return releases[0].library if releases else _installed()


def _package() -> list[Path]:
    """The folders of the package `mxnet`; none where it isn't installed."""
    spec = importlib.util.find_spec("mxnet")
    return [Path(place) for place in spec.submodule_search_locations or ()] if spec else []


def _installed() -> Path:
    places = _package()
    if not places:
        raise LibraryError(
            "the package mxnet is not installed for this Python; run `autoperf releases install 1.9.1` "
            "or `pip install 'mxnet>=1.9.1,<2'`, "
            f"or name a build of your own: --mxnet PATH, or {LIBRARY_VARIABLE}=PATH"
        )
    found = _in(places)
    if found is None:
        raise LibraryError(
            f"the package mxnet in {places[0]} has no {FILE_NAME}; reinstall with "
            "`pip install --force-reinstall --no-deps mxnet`, "
            f"or set {LIBRARY_VARIABLE} to the path of {FILE_NAME}"
        )
    return found


def _released(version: str) -> Path:
    with contextlib.suppress(LibraryError):
        library = _installed()
        if version in versions_beside(library):
            return library
    found = find_release(version)
    if found is None:
        raise missing(version)
    return found.library


def _in(places: Sequence[Path]) -> Path | None:
    """The library that one of these is, or has, or has in `mxnet/`."""
    for place in places:
        for candidate in (place, place / FILE_NAME, place / "mxnet" / FILE_NAME):
            with contextlib.suppress(OSError):
                if candidate.is_file():
                    return candidate.resolve()
    return None


def loading_problem(message: str, path: Path) -> str:
    """What dlopen's message means, and what to do about it."""
    missing = re.match(r"(\S+?\.so[.\d]*): cannot open shared object file", message)
    if missing is None or missing[1] == str(path):
        return f"{path} can't be loaded: {message}"
    name = missing[1]
    package = DEBIAN_PACKAGES.get(name)
    if package:
        return f"{path.name} needs the system library {name}; on Debian or Ubuntu: `apt-get install {package}`"
    if name.startswith(("libcud", "libcublas", "libcufft", "libcurand", "libcusolver", "libnccl", "libnvrtc")):
        return f"{path.name} is a CUDA build and needs {name}; install CUDA, or the CPU package `mxnet`"
    return f"{path.name} needs the system library {name}, which is not installed"


def package_version(path: Path, number: int) -> str:
    """The release as pip spells it, such as "1.9.1" or "2.0.0b1".

    The library knows only its number (20000); the suffix of a pre-release is read from the package beside it.
    """
    plain = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    exact = re.compile(rf"{re.escape(plain)}(?!\d)\S*")
    for version in versions_beside(path):
        if exact.fullmatch(version):
            return version
    try:
        text = (path.parent / "libinfo.py").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return plain
    spelled = re.search(r"^__version__ = [\"'](.+?)[\"']", text, re.MULTILINE)
    if spelled and exact.fullmatch(spelled[1]):
        return spelled[1].replace("beta", "b").replace("alpha", "a")
    return plain


def open_library(path: Path) -> Library:
    """Load libmxnet.so into this process, and the extensions that the environment names.

    Raises LibraryError with the package to install if MXNet can't be loaded, UsageError for an extension that can't.
    """
    try:
        dll = c.CDLL(str(path), mode=c.RTLD_LOCAL)
    except OSError as error:
        raise LibraryError(loading_problem(str(error), path)) from None
    if not hasattr(dll, "MXGetLastError"):
        raise LibraryError(f"{path} is a library, but not MXNet's; name the path of {FILE_NAME}")
    library = Library(path, dll)
    for extension in extensions():
        _extend(library, extension)
    return library


def _extend(library: Library, extension: Path) -> None:
    """Have MXNet register an extension's operators."""
    if library.number < EXTENSIBLE:
        raise UsageError(
            f"MXNet {library.version} has no operators from extensions, 1.7 and newer do; unset {EXTENSIONS_VARIABLE}"
        )
    if not extension.is_file():
        raise UsageError(
            f"{EXTENSIONS_VARIABLE} names {extension}, which is no file; name built libraries of operators"
        )
    try:
        library.call("LoadLib", str(extension).encode(), 0, c.byref(c.c_void_p()))
    except EngineError as error:
        raise UsageError(
            f"{EXTENSIONS_VARIABLE}: MXNet {library.version} can't load {extension} ({error}); "
            "an extension is built against the lib_api.h of the release that loads it"
        ) from None


class Library:
    """A loaded libmxnet.so: its functions by the names of `prototypes.FUNCTIONS`, in any supported release.

    Handles are plain integers everywhere. The library is a process's own: np-shape, recording and training flags
    belong to the thread that sets them.
    """

    def __init__(self, path: Path, dll: c.CDLL) -> None:
        self.path = path
        self.dll = dll
        dll.MXGetLastError.restype = c.c_char_p
        dll.NNGetLastError.restype = c.c_char_p
        self._functions: dict[str, Any] = {}
        self.extent: Extent = c.c_int64 if any(hasattr(dll, name) for name in WIDE) else c.c_int32
        # What MXNet calls back, which must live as long as the library.
        self.kept: dict[str, object] = {}
        self.number = self._number()
        self.version = package_version(path, self.number)
        if self.number < OLDEST:
            raise LibraryError(f"MXNet {self.version} in {path} is too old; autoperf supports 1.5.0 and newer")
        # MXNet registers its oldest operators (MakeLoss, ROIPooling) when all are listed, and not before.
        self.operator_names()

    def _number(self) -> int:
        number = c.c_int()
        self.call("GetVersion", c.byref(number))
        return number.value

    def function(self, name: str) -> Any:
        """The C function that this release has under a name of `prototypes.FUNCTIONS`."""
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = self._resolve(name)
        return found

    def _resolve(self, name: str) -> Any:
        spellings, arguments = FUNCTIONS[name]
        for spelling in spellings:
            try:
                # Not an attribute of the CDLL, so that callers share no argument types with anybody else.
                function = self.dll[spelling]
            except AttributeError:
                continue
            function.argtypes = arguments
            function.restype = c.c_int
            return function
        raise LibraryError(f"{self.path} has no function {' or '.join(spellings)}: is it MXNet 1.5.0 or newer?")

    def call(self, name: str, *arguments: Any) -> None:
        """Call a C function; raises EngineError if it fails."""
        if self.function(name)(*arguments) != 0:
            raise EngineError(first_sentence(self.last_error(nnvm=name in OF_NNVM)))

    def check(self, code: int) -> None:
        """Raise EngineError with the first sentence of MXNet's message unless `code` is 0."""
        if code != 0:
            raise EngineError(first_sentence(self.last_error()))

    def last_error(self, nnvm: bool = False) -> str:
        """The message for the last failed call of this thread, stack trace and all: MXNet's, or NNVM's."""
        return text_of(self.dll.NNGetLastError() if nnvm else self.dll.MXGetLastError())

    def features(self) -> dict[str, bool]:
        """What the library was built with: `{"CUDA": False, "MKLDNN": True, ...}`."""
        entries, size = c.POINTER(FeatureEntry)(), c.c_size_t()
        self.call("LibInfoFeatures", c.byref(entries), c.byref(size))
        return {entries[i].name.decode(): bool(entries[i].enabled) for i in range(size.value)}

    def operator_names(self) -> list[str]:
        """Every name that is registered, aliases too, in the library's order."""
        size, names = c.c_uint32(), c.POINTER(c.c_char_p)()
        self.call("ListAllOpNames", c.byref(size), c.byref(names))
        return [text_of(names[i]) for i in range(size.value)]

    def operator(self, name: str) -> int:
        """The handle of an operator, the same for all its names; raises EngineError if it isn't registered."""
        handle = c.c_void_p()
        self.call("GetOpHandle", name.encode(), c.byref(handle))
        if not handle.value:
            raise EngineError(f"operator {name!r} is not registered in MXNet {self.version}")
        return handle.value

    def set_np_shape(self, level: int) -> int:
        """NumPy shape semantics: 0 off, 1 on for this thread, 2 on for all; returns the level before."""
        before = c.c_int()
        self.call("SetIsNumpyShape", level, c.byref(before))
        return before.value

    def np_shape(self) -> int:
        """The level of NumPy shape semantics: 0 off, 1 on for this thread, 2 on for all."""
        level = c.c_int()
        self.call("IsNumpyShape", c.byref(level))
        return level.value

    def seed(self, seed: int) -> None:
        """Seed MXNet's own random generators on all devices."""
        self.call("RandomSeed", seed)

    def wait_all(self) -> None:
        """Wait until the engine has nothing left to do; raises EngineError for what failed since."""
        self.call("NDArrayWaitAll")


def text_of(raw: bytes | None) -> str:
    """A C string as text; nothing gives an empty string."""
    return raw.decode(errors="replace") if raw else ""


def text_array(texts: Sequence[str]) -> c.Array[c.c_char_p]:
    """A C array of C strings."""
    return (c.c_char_p * len(texts))(*(text.encode() for text in texts))


def handle_array(handles: Sequence[int | None]) -> c.Array[c.c_void_p]:
    """A C array of handles; None is a null pointer."""
    return (c.c_void_p * len(handles))(*handles)
