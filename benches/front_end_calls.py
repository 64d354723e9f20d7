"""A program that imports MXNet's front end, calls its public functions, and prints which operators each form called.

    python benches/front_end_calls.py [PATH...]     # PATH: a function, such as nd.add; without any, all
    python benches/front_end_calls.py --list        # the functions' paths; nothing is called

It prints a JSON object: for each function, the operators by the form of the call ("tensor, number"). A form that the
function doesn't take is missing. Arrays' operators are those that the profiler saw; symbols' are the graph's nodes.
benches/front_end_names.py compares them with what autoperf resolves. The program imports nothing of autoperf, since it
runs in the front end's process.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import json
import os
import random
import select
import signal
import sys
import tempfile
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from front_end_examples import EXAMPLES, Example, given, plain

from autoperf.backends.front_end_package import import_front_end

PATIENCE = 5.0
SPACES = {
    "nd": ("", ".contrib", ".linalg", ".random", ".sparse", ".image"),
    "sym": ("", ".contrib", ".linalg", ".random", ".sparse", ".image"),
    "np": ("", ".linalg", ".random"),
    "npx": ("", ".random", ".image", ".control_flow"),
}
# The front ends' older paths to np and npx.
INNER = tuple(f"{root}.{space}{sub}" for root in ("nd", "sym") for space in ("np", "npx") for sub in SPACES[space])
MODULES = ("mxnet", "ndarray", "symbol", "numpy")
# What calls functions of the caller, whose operators run; as a symbol it is an operator.
CALLBACKS = ("contrib.cond", "npx.cond", "control_flow.cond", "foreach", "while_loop")
# The engine's own helpers, which run beside operators.
ENGINE = frozenset(
    {
        *("DeleteVariable", "ResourceParallelRandomSetSeed", "ResourceNativeRandomSetSeed", "ResourceRandomSetSeed"),
        *("SetValueOp", "Reorder", "CopyCPU2CPU", "SyncCopyFromNDArrayCPU2CPU", "WaitForVar"),
    }
)
# The forms of calls. A group is tried if the function took no form of the groups before.
FORMS: tuple[dict[str, Example], ...] = (
    {
        "tensor": lambda t: given(t(3, 3)),
        "two tensors": lambda t: given(t(3, 3), t(3, 3)),
        "tensor, number": lambda t: given(t(3, 3), 2.5),
        "number, tensor": lambda t: given(2.5, t(3, 3)),
        "tensor, integer": lambda t: given(t(3, 3), 1),
    },
    {
        "integer tensor": lambda t: given(t(3, 3, dtype="int32")),
        "two integer tensors": lambda t: given(t(3, 3, dtype="int32"), t(3, 3, dtype="int32")),
        "integer tensor, integer": lambda t: given(t(3, 3, dtype="int32"), 1),
        "integer, integer tensor": lambda t: given(1, t(3, 3, dtype="int32")),
        "list of tensors": lambda t: given([t(3, 3), t(3, 3)]),
    },
    {"integer": plain(1), "shape": plain((3, 3)), "nothing": plain()},
)
# Of a generated function the operator is known without a call; of a function of NumPy, that there is none.
WRAPPER = "any inputs"
IN_NUMPY = "NumPy"

Called = dict[str, list[str]]


def functions(mx: Any) -> Iterator[tuple[str, Callable[..., object]]]:
    """The public functions of MXNet's namespaces, each with its path as a user writes it."""
    spaces = [f"{root}{sub}" for root, subs in SPACES.items() for sub in subs]
    for space in (*spaces, *INNER):
        module = mx
        for part in space.split("."):
            module = getattr(module, part, None)
        for name in dir(module) if isinstance(module, types.ModuleType) else ():
            function = getattr(module, name)
            own = isinstance(function, np.ufunc) or (getattr(function, "__module__", None) or "").startswith(MODULES)
            if not name.startswith("_") and own and callable(function) and not isinstance(function, type):
                yield f"{space}.{name}", function


def operator_handles(mx: Any) -> dict[int, str]:
    """The operators' names by their handles. Generated functions have the handle of their operator in their code."""
    library = ctypes.CDLL(mx.libinfo.find_lib_path()[0])
    names, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_uint()
    library.MXListAllOpNames(ctypes.byref(count), ctypes.byref(names))
    handles = {}
    for name in names[: count.value]:
        handle, canonical = ctypes.c_void_p(), ctypes.c_char_p()
        library.NNGetOpHandle(name, ctypes.byref(handle))
        library.MXSymbolGetAtomicSymbolName(handle, ctypes.byref(canonical))
        handles[handle.value or 0] = (canonical.value or b"").decode()
    return handles


def operators(mx: Any, path: str, function: Callable[..., object]) -> Called:
    """The operators by form. Calls run in forks, since one may end its process; a fork that died is replaced."""
    called: Called = {}
    for group in (*FORMS, EXAMPLES.get(path.rpartition(".")[2], {})):
        left = dict(group) if not called or group not in FORMS else {}
        while left:
            for form, names in in_a_fork(mx, path, function, left):
                left.pop(form, None)
                if names is not None:
                    called[form] = names
            if left:  # the fork ended in its first one
                left.pop(next(iter(left)))
    return called


def in_a_fork(
    mx: Any, path: str, function: Callable[..., object], forms: dict[str, Example]
) -> list[tuple[str, list[str] | None]]:
    """The operators of each form up to that which ended the process; None for one that the function refused."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            silence = os.open("said", os.O_WRONLY | os.O_CREAT)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            for answer in answers(mx, path, function, forms):
                os.write(writer, json.dumps(answer).encode() + b"\n")
        finally:
            os._exit(0)  # a fork's interpreter must not end as its parent's would
    os.close(writer)
    said = b""
    while select.select([reader], [], [], 2 * PATIENCE)[0] and (part := os.read(reader, 1 << 16)):
        said += part
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return [json.loads(line) for line in said.splitlines()]


def answers(
    mx: Any, path: str, function: Callable[..., object], forms: dict[str, Example]
) -> Iterator[tuple[str, list[str] | None]]:
    """The operators of each form, in order; None for one that the function refused."""
    numpy_like = "np" in path.partition(".")[0] or ".np" in path
    if numpy_like:
        mx.npx.set_np()
    seen = of_symbols if path.startswith("sym") else of_arrays
    if seen is of_arrays:
        file = str(Path.cwd() / f"{os.getpid()}.json")
        mx.profiler.set_config(profile_all=True, aggregate_stats=True, filename=file)
    for form, example in forms.items():
        random.seed(0)  # images are cropped at random
        signal.alarm(int(PATIENCE))
        names = None
        with contextlib.suppress(Exception):
            names = seen(mx, function, example, numpy_like)
        yield form, names
    signal.alarm(0)


def of_arrays(mx: Any, function: Callable[..., object], example: Example, numpy_like: bool) -> list[str]:
    """The operators that the profiler saw during the call."""
    make = mx.np.array if numpy_like else mx.nd.array

    def tensor(*shape: int, dtype: str = "float32") -> Any:
        # Matrices are positive definite, and no two arguments share memory.
        return make((np.eye(3) if shape == (3, 3) else 0) + np.full(shape, 1 if "int" in dtype else 0.5), dtype=dtype)

    positional, named = example(tensor)
    mx.nd.waitall()
    mx.profiler.set_state("run")
    try:
        function(*positional, **named)
        mx.nd.waitall()
    finally:
        mx.profiler.set_state("stop")
        stats = json.loads(mx.profiler.dumps(reset=True, format="json"))
    return sorted(set(stats.get("Time", {}).get("operator", {})) - ENGINE)


def of_symbols(mx: Any, function: Callable[..., object], example: Example, numpy_like: bool) -> list[str]:
    """The operators of the graph that the call returns."""

    numbers = itertools.count()

    def tensor(*_shape: int, dtype: str = "float32") -> Any:
        variable = mx.sym.Variable(f"{dtype}_{next(numbers)}")
        return variable.as_np_ndarray() if numpy_like else variable

    positional, named = example(tensor)
    answer = function(*positional, **named)
    if answer is None:
        raise TypeError("a symbol is what a function returns")
    graphs = [json.loads(output.tojson()) for output in flat(answer) if isinstance(output, mx.sym.Symbol)]
    return sorted({node["op"] for graph in graphs for node in graph["nodes"]} - {"null"})


def flat(answer: object) -> Iterator[object]:
    """The members of lists in lists."""
    if isinstance(answer, list | tuple):
        for member in answer:
            yield from flat(member)
    else:
        yield answer


def main(wanted: list[str]) -> None:
    """Prints the operators of the functions, or with `--list` their paths."""
    warnings.simplefilter("ignore")
    if wanted == ["--list"]:
        sys.stdout.write(json.dumps([path for path, _ in functions(import_front_end())]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        # MXNet removes the file that its profiler is told to write, whatever it is.
        os.chdir(scratch)
        sys.stdout.write(json.dumps(report(import_front_end(), wanted)))


def report(mx: Any, wanted: list[str]) -> dict[str, Called]:
    """What `main` prints; a function that stands at several paths is called once for each kind of arrays."""
    handles = operator_handles(mx)
    done: dict[tuple[int, str], Called] = {}
    told = {}
    for path, function in functions(mx):
        if wanted and path not in wanted:
            continue
        key = (id(function), path.partition(".")[0])
        if key not in done:
            done[key] = known(function, handles) or called(mx, path, function)
        told[path] = done[key]
    return told


def known(function: Callable[..., object], handles: dict[int, str]) -> Called:
    """The operator of a generated function."""
    constants = getattr(getattr(function, "__code__", None), "co_consts", ())
    wrapped = [handles[constant] for constant in constants if type(constant) is int and constant in handles]
    return {WRAPPER: wrapped} if wrapped else {}


def called(mx: Any, path: str, function: Callable[..., object]) -> Called:
    """The operators of a function that must be called to know them."""
    calls_back = path.endswith(CALLBACKS) and not path.startswith("sym")
    if calls_back:
        return {}
    in_numpy = isinstance(function, np.ufunc) or (function.__module__ or "").split(".")[0] == "numpy"
    return operators(mx, path, function) or ({IN_NUMPY: []} if in_numpy else {})


if __name__ == "__main__":
    main(sys.argv[1:])
