"""Replaces Python where autoperf starts a child: runs the real one, and corrupts bytes in the pipes between the two.

It knows nothing of the messages: each pipe that it was handed is led through one of its own. What to corrupt is drawn
from $FUZZ_SEED and the number of this child, which a file in $FUZZ_FOLDER counts.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

# Chunks of a pipe until one is corrupted: at most so many.
MAX_CHUNK = 30


def pipes() -> dict[int, bool]:
    """The descriptors of pipes, and whether each is written to by the child."""
    descriptors = {}
    for descriptor in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
        with contextlib.suppress(OSError):
            if descriptor != 2 and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                descriptors[descriptor] = bool(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_WRONLY)
    return descriptors


def corrupted(data: bytes, draw: random.Random) -> bytes:
    """The bytes with one mistake in them."""
    place = draw.randrange(len(data))
    kind = draw.choice(("flip", "drop", "insert", "repeat", "cut"))
    if kind == "flip":
        return data[:place] + bytes([data[place] ^ (1 << draw.randrange(8))]) + data[place + 1 :]
    if kind == "insert":
        return data[:place] + draw.randbytes(draw.randint(1, 8)) + data[place:]
    return {"drop": data[:place] + data[place + 1 :], "repeat": data + data, "cut": data[:place]}[kind]


def relay(reading: int, writing: int, seed: str) -> None:
    """Copies one pipe into another; one chunk in it, which the seed says, is corrupted."""
    draw = random.Random(seed)
    bad = draw.randrange(MAX_CHUNK)
    number = 0
    with contextlib.suppress(OSError):
        while data := os.read(reading, 1 << 16):
            os.write(writing, corrupted(data, draw) if number == bad else data)
            number += 1
    for descriptor in (reading, writing):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def seed_of_this_child() -> str:
    """A word for each child of one attempt."""
    with (Path(os.environ["FUZZ_FOLDER"]) / "children").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        number = file.tell()
        file.write("x")
    return f"{os.environ['FUZZ_SEED']}-{number}"


def main() -> None:
    """Ends as the true child ends."""
    seed = seed_of_this_child()
    threads, handed = [], []
    for descriptor, written in pipes().items():
        outer = os.dup(descriptor)
        inner_read, inner_write = os.pipe()
        os.dup2(inner_write if written else inner_read, descriptor, inheritable=True)
        os.close(inner_write if written else inner_read)
        ends = (inner_read, outer) if written else (outer, inner_write)
        threads.append(threading.Thread(target=relay, args=(*ends, f"{seed}-{descriptor}"), daemon=not written))
        handed.append(descriptor)
    child = subprocess.Popen([sys.executable, *sys.argv[1:]], pass_fds=handed)
    for descriptor in handed:
        os.close(descriptor)
    for thread in threads:
        thread.start()
    code = child.wait()
    for thread in threads:
        if not thread.daemon:
            thread.join()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
