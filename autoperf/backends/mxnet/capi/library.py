"""Loads libmxnet.so, declares its functions, and calls them."""

from __future__ import annotations

import ctypes as c
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from autoperf.backends.mxnet.capi.front_end import failing_node, registered_operators
from autoperf.backends.releases import FILE_NAME, versions_beside
from autoperf.backends.user_code import EXTENSION_SOURCES, extensions
from autoperf.core.errors import EngineError, LibraryError, UsageError
from autoperf.registry.names import other_names

P = c.c_void_p
INT, UINT, SIZE, TEXT = c.c_int, c.c_uint32, c.c_size_t, c.c_char_p

# name that autoperf uses -> (names to try, in this order; argument types). Pointers to results are void
# pointers here: the callers pass `byref` of a typed variable, and ctypes takes it.
FUNCTIONS: dict[str, tuple[tuple[str, ...], tuple[Any, ...]]] = {
    "GetVersion": (("MXGetVersion",), (P,)),
    "LibInfoFeatures": (("MXLibInfoFeatures",), (P, P)),
    # 2.0 returns the library's handle; earlier releases ignore the third argument.
    "LoadLib": (("MXLoadLib",), (TEXT, INT, P)),
    "RandomSeed": (("MXRandomSeed",), (INT,)),
    "EngineSetBulkSize": (("MXEngineSetBulkSize",), (INT, P)),
    "SetIsNumpyShape": (("MXSetIsNumpyShape",), (INT, P)),
    "IsNumpyShape": (("MXIsNumpyShape",), (P,)),
    # registry
    "ListAllOpNames": (("MXListAllOpNames",), (P, P)),
    "GetOpHandle": (("NNGetOpHandle",), (TEXT, P)),
    "GetAtomicSymbolInfo": (("MXSymbolGetAtomicSymbolInfo",), (P, P, P, P, P, P, P, P, P)),
    # arrays
    "NDArrayCreate64": (
        ("MXNDArrayCreateEx64", "MXNDArrayCreate64", "MXNDArrayCreateEx"),
        (P, INT, INT, INT, INT, INT, P),
    ),
    "NDArrayCreateSparse64": (
        ("MXNDArrayCreateSparseEx64", "MXNDArrayCreateSparseEx"),
        (INT, P, INT, INT, INT, INT, INT, UINT, P, P, P, P),
    ),
    "NDArrayFree": (("MXNDArrayFree",), (P,)),
    "NDArrayGetShape64": (("MXNDArrayGetShapeEx64", "MXNDArrayGetShape64", "MXNDArrayGetShapeEx"), (P, P, P)),
    "NDArrayGetDType": (("MXNDArrayGetDType",), (P, P)),
    "NDArrayGetStorageType": (("MXNDArrayGetStorageType",), (P, P)),
    "NDArrayGetDataNDArray": (("MXNDArrayGetDataNDArray",), (P, P)),
    "NDArrayGetAuxNDArray": (("MXNDArrayGetAuxNDArray",), (P, UINT, P)),
    "NDArraySyncCopyFromCPU": (("MXNDArraySyncCopyFromCPU",), (P, P, SIZE)),
    "NDArraySyncCopyToCPU": (("MXNDArraySyncCopyToCPU",), (P, P, SIZE)),
    "NDArrayWaitToRead": (("MXNDArrayWaitToRead",), (P,)),
    "NDArrayWaitAll": (("MXNDArrayWaitAll",), ()),
    # calls
    "ImperativeInvoke": (("MXImperativeInvokeEx", "MXImperativeInvoke"), (P, INT, P, P, P, INT, P, P, P)),
    "CachedOpCreate": (("MXCreateCachedOpEX", "MXCreateCachedOpEx", "MXCreateCachedOp"), (P, INT, P, P, P, c.c_bool)),
    "CachedOpFree": (("MXFreeCachedOp",), (P,)),
    "CachedOpInvoke": (("MXInvokeCachedOpEx",), (P, INT, P, P, P, P)),
    "CachedOpInvokeOn": (("MXInvokeCachedOp",), (P, INT, P, INT, INT, P, P, P)),
    "ExecutorBind": (("MXExecutorBindEX",), (P, INT, INT, UINT, P, P, P, UINT, P, P, P, UINT, P, P, P)),
    "ExecutorForward": (("MXExecutorForward",), (P, INT)),
    "ExecutorOutputs": (("MXExecutorOutputs",), (P, P, P)),
    "ExecutorFree": (("MXExecutorFree",), (P,)),
    "CustomRegister": (("MXCustomOpRegister",), (TEXT, P)),
    # autograd
    "AutogradSetIsRecording": (("MXAutogradSetIsRecording",), (INT, P)),
    "AutogradSetIsTraining": (("MXAutogradSetIsTraining",), (INT, P)),
    "AutogradMarkVariables": (("MXAutogradMarkVariables",), (UINT, P, P, P)),
    "AutogradBackward": (("MXAutogradBackwardEx",), (UINT, P, P, UINT, P, INT, INT, INT, P, P)),
    # profiler
    "ProfilerConfig": (("MXSetProcessProfilerConfig",), (INT, P, P, P)),
    "ProfilerState": (("MXSetProcessProfilerState",), (INT, INT, P)),
    "ProfilerPause": (("MXProcessProfilePause",), (INT, INT, P)),
    "ProfilerDump": (("MXDumpProcessProfile",), (INT, INT, P)),
    # symbols
    "SymbolVariable": (("MXSymbolCreateVariable",), (TEXT, P)),
    "SymbolAtomic": (("MXSymbolCreateAtomicSymbol",), (P, UINT, P, P, P)),
    "SymbolCompose": (("MXSymbolCompose",), (P, TEXT, UINT, P, P)),
    "SymbolFree": (("MXSymbolFree",), (P,)),
    "SymbolGetNumOutputs": (("MXSymbolGetNumOutputs",), (P, P)),
    "SymbolGetInternals": (("MXSymbolGetInternals",), (P, P)),
    "SymbolGetOutput": (("MXSymbolGetOutput",), (P, UINT, P)),
    "SymbolListAuxiliaryStates": (("MXSymbolListAuxiliaryStates",), (P, P, P)),
    "SymbolListOutputs": (("MXSymbolListOutputs",), (P, P, P)),
    "SymbolListInputNames": (("NNSymbolListInputNames",), (P, INT, P, P)),
    "SymbolGroup": (("MXSymbolCreateGroup",), (UINT, P, P)),
    "SymbolToJSON": (("MXSymbolSaveToJSON",), (P, P)),
    "SymbolFromJSON": (("MXSymbolCreateFromJSON",), (TEXT, P)),
    "SymbolInferShapePartial64": (
        ("MXSymbolInferShapePartialEx64", "MXSymbolInferShapePartial64", "MXSymbolInferShapePartialEx"),
        (P, UINT, P, P, P, P, P, P, P, P, P, P, P, P, P),
    ),
    "SymbolInferTypePartial": (("MXSymbolInferTypePartial", "MXSymbolInferType"), (P, UINT, P, P, P, P, P, P, P, P, P)),
    "GenBackendSubgraph": (("MXGenBackendSubgraph",), (P, TEXT, P)),
    # graphs
    "GraphCreate": (("NNGraphCreate",), (P, P)),
    "GraphFree": (("NNGraphFree",), (P,)),
    "GraphGetSymbol": (("NNGraphGetSymbol",), (P, P)),
    "GraphSetEntries": (("NNGraphSetNodeEntryListAttr_",), (P, TEXT, P)),
    "GraphSetJSON": (("NNGraphSetJSONAttr",), (P, TEXT, TEXT)),
    "GraphApplyPasses": (("NNGraphApplyPasses",), (P, UINT, P, P)),
}

# Functions that run kernels, the passes of a case.
OF_PASSES = {"ImperativeInvoke", "CachedOpInvoke", "CachedOpInvokeOn", "ExecutorForward", "AutogradBackward"}

# Functions of NNVM, MXNet's graph library: from 2.0 on, MXGetLastError doesn't have their errors.
OF_NNVM = {
    "ListAllOpNames", "GetOpHandle", "GetAtomicSymbolInfo", "SymbolVariable", "SymbolCompose", "SymbolFree",
    "SymbolGetNumOutputs", "SymbolGetOutput", "SymbolListAuxiliaryStates", "SymbolListOutputs",
    "SymbolListInputNames", "SymbolGroup",
    "GraphCreate", "GraphFree", "GraphGetSymbol", "GraphSetEntries", "GraphSetJSON", "GraphApplyPasses",
}  # fmt: skip


class FeatureEntry(c.Structure):
    """One entry of `MXLibInfoFeatures`."""

    _fields_ = (("name", c.c_char_p), ("enabled", c.c_bool))


MIN_NUMBER = 10500
MIN_EXTENSIONS_NUMBER = 10700
# The C type of a shape's dimension: 64 bits if the library has one of these functions (1.6.0 and newer), else 32.
INT64_FUNCTIONS = ("MXNDArrayCreateEx64", "MXNDArrayCreate64")
Extent: TypeAlias = type[c.c_int64] | type[c.c_int32]

# The system libraries that MXNet's wheels need, and their Debian packages.
DEBIAN_PACKAGES = {
    "libgomp.so.1": "libgomp1",
    "libquadmath.so.0": "libquadmath0",
    "libgfortran.so.3": "libgfortran3",
    "libgfortran.so.4": "libgfortran4",
    "libgfortran.so.5": "libgfortran5",
    "libstdc++.so.6": "libstdc++6",
    "libgcc_s.so.1": "libgcc-s1",
}


def loading_problem(message: str, path: Path) -> str:
    """The cause of dlopen's error message, and the remedy."""
    if "failed to map segment" in message:
        return f"{path} can't be loaded: {message}: raise --memory-limit, or the limit of address space (`ulimit -v`)"
    match = re.match(r"(\S+?\.so[.\d]*): cannot open shared object file", message)
    if match is None or match[1] == str(path):
        return f"{path} can't be loaded: {message}"
    name = match[1]
    if package := DEBIAN_PACKAGES.get(name):
        return f"{path.name} needs the system library {name}; on Debian or Ubuntu: `apt-get install {package}`"
    if name.startswith(("libcud", "libcublas", "libcufft", "libcurand", "libcusolver", "libnccl", "libnvrtc")):
        return f"{path.name} is a CUDA build and needs {name}; install CUDA, or the CPU package `mxnet`"
    return f"{path.name} needs the system library {name}, which is not installed"


def package_version(path: Path, number: int) -> str:
    """The release as pip spells it, such as "2.0.0b1": the suffix of a pre-release is read from its package."""
    plain = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    exact = re.compile(rf"{re.escape(plain)}(?!\d)\S*")
    if version := next(filter(exact.fullmatch, versions_beside(path)), None):
        return version
    try:
        text = (path.parent / "libinfo.py").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return plain
    declared = re.search(r"^__version__ = [\"'](.+?)[\"']", text, re.MULTILINE)
    if declared and exact.fullmatch(declared[1]):
        return declared[1].replace("beta", "b").replace("alpha", "a")
    return plain


def open_library(path: Path) -> Library:
    """Loads libmxnet.so, and extensions that the environment names. Raises LibraryError, UsageError for these."""
    try:
        dll = c.CDLL(str(path), mode=c.RTLD_LOCAL)
    except OSError as error:
        raise LibraryError(loading_problem(str(error), path)) from None
    if not hasattr(dll, "MXGetLastError"):
        raise LibraryError(f"invalid library {path}: expected MXNet; name the path of {FILE_NAME}")
    library = Library(path, dll)
    for extension in extensions():
        _load_extension(library, extension)
    return library


def _load_extension(library: Library, extension: Path) -> None:
    is_python = extension.suffix == ".py"
    if not is_python and library.number < MIN_EXTENSIONS_NUMBER:
        raise UsageError(
            f"MXNet {library.version} doesn't support extensions, 1.7 and newer do; leave out {EXTENSION_SOURCES}"
        )
    if not extension.is_file():
        raise UsageError(
            f"invalid {EXTENSION_SOURCES}: expected built libraries and Python files of operators, but {extension} "
            "is not a file"
        )
    if is_python:
        # Not at the top: it imports NumPy, which doubles the time in which some processes start.
        from autoperf.backends.mxnet.capi.front_end import run_extension  # noqa: PLC0415

        run_extension(library.path, extension)
        return
    try:
        library.call("LoadLib", str(extension).encode(), 0, c.byref(c.c_void_p()))
    except EngineError as error:
        raise UsageError(
            f"{EXTENSION_SOURCES}: MXNet {library.version} can't load {extension} ({error}); "
            "build the extension with the lib_api.h of this release"
        ) from None


class Library:
    """A loaded libmxnet.so: its functions by the names of `FUNCTIONS`, in any supported release.

    Handles are integers. The flags for np-shape, recording and training belong to the thread that sets them.
    """

    def __init__(self, path: Path, dll: c.CDLL) -> None:
        self.path, self.dll = path, dll
        dll.MXGetLastError.restype = c.c_char_p
        dll.NNGetLastError.restype = c.c_char_p
        self._functions: dict[str, Any] = {}
        self._address_of: Callable[[int], int] | None = None
        self.extent: Extent = c.c_int64 if any(hasattr(dll, name) for name in INT64_FUNCTIONS) else c.c_int32
        # Callbacks must live as long as the library.
        self.callbacks: dict[str, object] = {}
        number = c.c_int()
        self.call("GetVersion", c.byref(number))
        self.number = number.value
        self.version = package_version(path, self.number)
        self._other_names = other_names(os.environ)
        if self.number < MIN_NUMBER:
            raise LibraryError(f"MXNet {self.version} in {path} is too old; autoperf supports 1.5.0 and newer")
        # MXNet registers its oldest operators (MakeLoss, ROIPooling) only when all names are listed.
        self.operator_names()

    def call_by(self, address_of: Callable[[int], int]) -> None:
        """Calls the functions of passes from now on by the addresses that this function gives for theirs."""
        self._address_of = address_of
        self._functions = {name: function for name, function in self._functions.items() if name not in OF_PASSES}

    def function(self, name: str) -> Any:
        """This release's C function for a name of `FUNCTIONS`. Raises LibraryError if it has none."""
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = self.unchecked(name)
            function.argtypes = FUNCTIONS[name][1]
            function.restype = c.c_int
        return function

    def unchecked(self, name: str) -> Any:
        """As `function`, without types, whose conversion costs time: it takes C values, and its code is for `check`."""
        symbols = FUNCTIONS[name][0]
        for symbol in symbols:
            try:
                # An item, not an attribute: attributes share their argument types with other callers.
                function = self.dll[symbol]
            except AttributeError:
                continue
            if self._address_of and name in OF_PASSES:
                return c.CFUNCTYPE(c.c_int)(self._address_of(c.cast(function, c.c_void_p).value or 0))
            return function
        raise LibraryError(f"{self.path} has no function {' or '.join(symbols)}: is it MXNet 1.5.0 or newer?")

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a C function. Raises EngineError if it fails."""
        if self.function(name)(*arguments) != 0:
            raise _engine_error(self.last_error(nnvm=name in OF_NNVM))

    def check(self, code: int) -> None:
        """Raises EngineError with the first sentence of MXNet's message unless `code` is 0."""
        if code != 0:
            raise _engine_error(self.last_error())

    def last_error(self, nnvm: bool = False) -> str:
        """The full message of this thread's last failed call: MXNet's, or NNVM's."""
        return text_of(self.dll.NNGetLastError() if nnvm else self.dll.MXGetLastError())

    def features(self) -> dict[str, bool]:
        """The build features: `{"CUDA": False, "MKLDNN": True, ...}`."""
        entries, size = c.POINTER(FeatureEntry)(), c.c_size_t()
        self.call("LibInfoFeatures", c.byref(entries), c.byref(size))
        return {entries[i].name.decode(): bool(entries[i].enabled) for i in range(size.value)}

    def operator_names(self) -> list[str]:
        """All registered names, with aliases, in the library's order."""
        size, names = c.c_uint32(), c.POINTER(c.c_char_p)()
        self.call("ListAllOpNames", c.byref(size), c.byref(names))
        return [text_of(names[i]) for i in range(size.value)]

    def called(self, name: str) -> str:
        """The registered name to call for an operator: its own, unless the environment names another one."""
        return self._other_names.get(name, name)

    def operator(self, name: str) -> int:
        """The handle of an operator by any of its names; raises EngineError if it isn't registered."""
        handle = c.c_void_p()
        self.call("GetOpHandle", self.called(name).encode(), c.byref(handle))
        if not handle.value:
            raise EngineError(f"operator {name!r} is not registered in MXNet {self.version}")
        return handle.value

    def set_np_shape(self, level: int) -> int:
        """NumPy shape semantics: 0 off, 1 on for this thread, 2 on for all; returns the previous level."""
        before = c.c_int()
        self.call("SetIsNumpyShape", level, c.byref(before))
        return before.value

    def np_shape(self) -> int:
        """The level of NumPy shape semantics: 0 off, 1 on for this thread, 2 on for all."""
        level = c.c_int()
        self.call("IsNumpyShape", c.byref(level))
        return level.value

    def seed(self, seed: int) -> None:
        """Seeds MXNet's own random generators on all devices."""
        self.call("RandomSeed", seed)

    def wait_all(self) -> None:
        """Waits until the engine is idle. Raises EngineError for a kernel that failed."""
        self.call("NDArrayWaitAll")


def _engine_error(text: str) -> EngineError:
    return EngineError(registered_operators().explained(text), failing_node(text))


def text_of(raw: bytes | None) -> str:
    """A C string as text; empty for a null pointer."""
    return raw.decode(errors="replace") if raw else ""


def text_array(texts: Sequence[str]) -> c.Array[c.c_char_p]:
    """A C array of C strings."""
    return (c.c_char_p * len(texts))(*(text.encode() for text in texts))


def handle_array(handles: Sequence[int | None]) -> c.Array[c.c_void_p]:
    """A C array of handles; None is a null pointer."""
    return (c.c_void_p * len(handles))(*handles)


def gpu_count(library: Library) -> int:
    """The number of visible GPUs; 0 for a build without CUDA. On a CUDA build this initialises CUDA."""
    count = c.c_int(0)
    return 0 if library.dll["MXGetGPUCount"](c.byref(count)) else max(0, count.value)


def openmp_threads(library: Library) -> int | None:
    """The number of OpenMP threads for this thread; None if the library has no omp_get_max_threads."""
    try:
        return int(library.dll["omp_get_max_threads"]())
    except AttributeError:
        return None
