"""A program that imports the front end, calls its public functions with arrays, and prints which operators ran."""

from __future__ import annotations

import json
import os
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

PATIENCE = 20.0
SPACES = ("", ".contrib", ".linalg", ".random", ".sparse", ".image")
# What has nothing to do with arrays, or reads and writes files.
FILES = ("_", "load", "save", "genfromtxt", "set_")


def import_front_end() -> Any:
    """The package `mxnet`, which wants names that NumPy took away in 1.24."""
    warnings.simplefilter("ignore")
    for name, builtin in {"bool": bool, "int": int, "float": float, "object": object, "complex": complex}.items():
        np.__dict__.get(name) or setattr(np, name, builtin)
    import mxnet  # noqa: PLC0415

    return mxnet


def functions(mx: Any) -> Iterator[tuple[str, Callable[..., object]]]:
    """The public functions of MXNet's namespaces, each with its path as a user writes it."""
    for space in (f"{root}{sub}" for root in ("nd", "np", "npx") for sub in SPACES):
        module = mx
        for part in space.split("."):
            module = getattr(module, part, None)
        for name in dir(module) if isinstance(module, types.ModuleType) else ():
            function = getattr(module, name)
            own = (getattr(function, "__module__", None) or "").startswith(("mxnet", "ndarray", "numpy"))
            if not name.startswith(FILES) and own and callable(function) and not isinstance(function, type):
                yield f"{space}.{name}", function


def attempt(mx: Any, path: str, function: Callable[..., object], arrays: int) -> list[str] | None:
    """The operators that ran, in a fork, since a call may end its process; None if it raised, hung or died."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            silence = os.open("said", os.O_WRONLY | os.O_CREAT)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            signal.alarm(int(PATIENCE))
            answer = json.dumps(operators_of(mx, path, function, arrays)).encode()
            os.write(writer, answer)
        finally:
            os._exit(0)  # a fork's interpreter must not end as its parent's would
    os.close(writer)
    said = b""
    while select.select([reader], [], [], PATIENCE)[0] and (part := os.read(reader, 1 << 16)):
        said += part
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return json.loads(said) if said else None


def operators_of(mx: Any, path: str, function: Callable[..., object], arrays: int) -> list[str]:
    """The operators that the profiler saw while the function was called with so many (3, 3) arrays."""
    numpy_like = path.startswith("np")
    if numpy_like:
        mx.npx.set_np()
    make = mx.np.array if numpy_like else mx.nd.array
    given = [make(np.full((3, 3), 0.5) + np.eye(3) * (number + 1)) for number in range(arrays)]
    mx.nd.waitall()
    mx.profiler.set_config(profile_all=True, aggregate_stats=True, filename=str(Path.cwd() / f"{os.getpid()}.json"))
    mx.profiler.set_state("run")
    function(*given)
    mx.nd.waitall()
    mx.profiler.set_state("stop")
    stats = json.loads(mx.profiler.dumps(format="json"))
    return sorted(stats.get("Time", {}).get("operator", {}))


def main(wanted: list[str]) -> None:
    """Prints a JSON object: what each path ran with one array, and with two."""
    with tempfile.TemporaryDirectory() as scratch:
        # MXNet removes the file that its profiler is told to write, whatever it is.
        os.chdir(scratch)
        report(import_front_end(), wanted)


def report(mx: Any, wanted: list[str]) -> None:
    """What `main` prints."""
    chosen = [(path, function) for path, function in functions(mx) if not wanted or path in wanted]
    ran = {path: [attempt(mx, path, function, n) for n in (1, 2)] for path, function in chosen}
    sys.stdout.write(json.dumps(ran))


if __name__ == "__main__":
    main(sys.argv[1:])
