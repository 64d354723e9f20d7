"""Forks for each command line of the program: a process of its own each time, without the second that imports take.

Run as a program with the number of a socket. A request is the JSON of a `Call`, with the descriptors of its standard
output and error; the answer is the exit code, in JSON too.
"""

from __future__ import annotations

import atexit
import dataclasses
import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import threading
from dataclasses import dataclass
from typing import NoReturn

MAX_CALL_BYTES = 2**20
_OTHERS = (
    "backends.torch.compile",
    "backends.torch.engine",
    "backends.torch.profiler",
    "backends.jax.engine",
    "backends.jax.jit",
)
_VOCABULARIES = ("torch_names", "jax_names")
OF_OTHER_INTERPRETERS = frozenset(
    f"autoperf.{name}" for name in (*_OTHERS, *(f"implementations.vocabulary.{name}" for name in _VOCABULARIES))
)
"""The modules that the Python of another framework imports."""


@dataclass(frozen=True)
class Call:
    """A command line with its environment and its working folder."""

    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: str

    def message(self) -> bytes:
        """The call as a request."""
        return json.dumps(dataclasses.asdict(self)).encode()


def import_program() -> None:
    """Imports every module of the program, and what those import."""
    package = importlib.import_module("autoperf")
    for module in pkgutil.walk_packages(package.__path__, "autoperf."):
        if module.name not in OF_OTHER_INTERPRETERS:
            importlib.import_module(module.name)
    # Collections in the forks leave what was imported alone, so that its pages stay shared.
    gc.freeze()


def next_call(requests: socket.socket) -> Call | None:
    """Answers requests by forks. Returns the call in a fork, and None once there are no more requests."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, MAX_CALL_BYTES, maxfds=2)
        if not message:
            return None
        child = os.fork()
        if not child:
            for number, descriptor in enumerate((os.open(os.devnull, os.O_RDONLY), *descriptors)):
                os.dup2(descriptor, number)
                os.close(descriptor)
            requests.close()
            return Call(**json.loads(message))
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        requests.sendall(json.dumps(os.waitstatus_to_exitcode(status)).encode())


def become(call: Call) -> None:
    """Gives this process the streams, the environment, the folder and the command line of a call."""
    # Those of the server know what its own standard output and error can do, such as to seek.
    sys.stdin = sys.__stdin__ = os.fdopen(0, encoding="utf-8")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding="utf-8")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # type: ignore[misc]
    os.environ.clear()
    os.environ.update(call.environment)
    os.chdir(call.folder)
    program = sys.modules["autoperf.__main__"].__file__
    sys.argv = [str(program), *call.arguments]


def run_to_end() -> NoReturn:
    """Runs the program as `python -m autoperf` does. Python's own end is left out: it would touch every shared page."""
    try:
        sys.modules["autoperf.__main__"].main()
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - Python shows it, whatever it is
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(int(code or 0))


def main() -> None:
    """Serves the socket; a fork runs the program."""
    import_program()
    call = next_call(socket.socket(fileno=int(sys.argv[1])))
    if call:
        become(call)
        run_to_end()


if __name__ == "__main__":
    main()
