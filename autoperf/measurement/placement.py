"""Placement: the processors on which the threads of a timing process run.

Linux moves a thread to whichever processor is idle, and the processors of a shared machine differ in speed by half for
seconds. It also wakes the engine's thread on another processor than the caller's, which takes longer than the smallest
kernels. Therefore a process that takes times stays on one processor for each OpenMP thread of its framework.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import itertools
import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from autoperf.core.errors import UsageError
from autoperf.core.files import lock, open_regular
from autoperf.core.machine import parse_processors

TASKS = Path("/proc/self/task")
TOPOLOGY = Path("/sys/devices/system/cpu")
STAY_SECONDS = 2.0
ANY: tuple[int, ...] = ()
"""No placement: Linux may move every thread."""
OWN_BINDING = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
"""Variables by which a user places the threads of OpenMP."""
OWN_PROCESSORS = "AUTOPERF_PROCESSORS"
"""The variable with the processors among which timing processes are placed, such as 2-3: those of a fleet's worker."""


def usable_processors(process: int = 0) -> tuple[int, ...]:
    """The processors that a process (default: this one) may use, in order; empty if unknown."""
    with contextlib.suppress(OSError, AttributeError):
        return tuple(sorted(os.sched_getaffinity(process)))
    return ()


def own_processors(process: int = 0) -> tuple[int, ...]:
    """The usable processors among which timing processes are placed: of `AUTOPERF_PROCESSORS`, where it is set.

    A framework still counts all of the machine's for its threads, as with an affinity it would not. Raises UsageError.
    """
    usable, listed = usable_processors(process), os.environ.get(OWN_PROCESSORS)
    if not listed:
        return usable
    asked = parse_processors(listed)
    return tuple(processor for processor in usable if processor in asked) or usable


def shares(processors: Sequence[int], count: int, topology: Path = TOPOLOGY) -> list[tuple[int, ...]]:
    """As many processors for each of `count` workers, a core's together; if workers are more, each gets one in turn."""
    ordered = [processor for core in _by_core(processors, topology) for processor in core]
    size = max(1, len(ordered) // count)
    starts = [number * size % max(1, len(ordered)) for number in range(count)]
    return [tuple(sorted(ordered[start : start + size])) for start in starts]


def check_processors(asked: Sequence[int], usable: Collection[int] | None = None) -> None:
    """Raises UsageError if one of these processors can't be used; `usable` are by default those of this process."""
    usable = usable_processors() if usable is None else usable
    for processor in asked:
        if processor not in usable:
            listed = ranges(usable) or "unknown"
            raise UsageError(f"invalid cpus: processor {processor} isn't usable; expected some of {listed}")


class Claims:
    """The processors that the runs on this machine have claimed, so that two of them don't share one.

    A claim is a file named after the processor and the run's process, on which each of its timing processes holds a
    shared lock: it ends with the last of them. A folder that can't be used has no claims.
    """

    def __init__(self, folder: Path, owner: int) -> None:
        self._folder, self._owner = folder, owner
        self._held: list[io.FileIO] = []

    def taken(self) -> frozenset[int]:
        """The processors that other runs have claimed; the files of runs that have ended are removed."""
        paths: list[Path] = []
        with contextlib.suppress(OSError):
            paths = list(self._folder.glob("cpu-*-*"))
        taken: set[int] = set()
        for path in paths:
            processor, owner = path.name.split("-")[1:3]
            if not processor.isdecimal() or owner == str(self._owner):
                continue
            # A file that can't be read is no claim.
            with contextlib.suppress(OSError):
                with io.FileIO(path, "r", opener=open_regular) as file:
                    is_held = not lock(file)
                if is_held:
                    taken.add(int(processor))
                else:
                    path.unlink(missing_ok=True)
        return frozenset(taken)

    def hold(self, processors: Iterable[int]) -> None:
        """Claims these processors until `close`, or the end of the process."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            for processor in processors:
                file = io.FileIO(self._folder / f"cpu-{processor}-{self._owner}", "a", opener=_open_own)
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                self._held.append(file)

    def close(self) -> None:
        """Gives up the claims."""
        while self._held:
            self._held.pop().close()


@contextlib.contextmanager
def starts_alone(folder: Path) -> Iterator[None]:
    """Waits until no other fleet worker on this machine starts its processes, so that each sees the others' claims.

    A folder that can't be used has no claims, and nothing to wait for.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(io.FileIO(folder / "start", "a", opener=_open_own))
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _open_own(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)


def choose_processors(
    asked: tuple[int, ...] | None,
    threads: int | None,
    usable: Sequence[int],
    variables: Mapping[str, str],
    *,
    taken: Collection[int] = (),
    topology: Path = TOPOLOGY,
) -> tuple[int, ...]:
    """The processors of a timing process; empty for no placement.

    `asked` is the user's choice, None for automatic: one processor for each of `threads`, on different cores where
    there are enough. The last ones are chosen, since Linux handles most interrupts on the first; those that are `taken`
    by other runs only if there are no others. Nothing is placed if variables of OpenMP place the threads, or if there
    are more threads than processors.
    """
    if asked is not None:
        return asked
    needed = max(1, threads or 1)
    if needed > len(usable) or any(name in variables for name in OWN_BINDING):
        return ANY
    # The first of each core, then the second of each.
    rounds = itertools.zip_longest(*_by_core(reversed(usable), topology))
    ordered = [processor for each in rounds for processor in each if processor is not None]
    ordered.sort(key=lambda processor: processor in taken)
    return tuple(sorted(ordered[:needed]))


def place(processors: Collection[int]) -> None:
    """Moves all threads of this process to these processors, if any; threads that they start inherit it."""
    if not processors:
        return
    for task in TASKS.iterdir():
        with contextlib.suppress(OSError):
            os.sched_setaffinity(int(task.name), processors)


class Mover:
    """Moves this process, which is on one processor, to the next when another program runs there.

    Linux leaves a program that is bound to one processor where it is, though others are idle. After a move it stays for
    a while: a short wait on the new processor must not bring it back to the one that is in use. Processors that other
    runs have claimed are left to them.
    """

    def __init__(
        self, processors: Sequence[int], stay: float = STAY_SECONDS, taken: Callable[[], Collection[int]] = frozenset
    ) -> None:
        """`processors` are those that may be used, of which the process is on one; it stays for `stay` seconds."""
        self._processors, self._stay, self._taken = tuple(processors), stay, taken
        self._moved = -math.inf

    def __call__(self) -> None:
        """Moves to the next processor; with a single one, or soon after a move, nothing happens."""
        current, now = usable_processors(), time.monotonic()
        if len(self._processors) < 2 or len(current) != 1 or current[0] not in self._processors:
            return
        if now - self._moved < self._stay:
            return
        self._moved = now
        position, taken = self._processors.index(current[0]), self._taken()
        # The next free one before this position, if there is one.
        others = (*self._processors[:position][::-1], *self._processors[:position:-1])
        place(next(((other,) for other in others if other not in taken), ANY))


def ranges(processors: Collection[int]) -> str:
    """Processors as Linux lists them: `0-3,6`."""
    runs: list[list[int]] = []
    for processor in sorted(processors):
        if runs and processor == runs[-1][-1] + 1:
            runs[-1].append(processor)
        else:
            runs.append([processor])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _by_core(processors: Iterable[int], topology: Path) -> Collection[list[int]]:
    cores: dict[str, list[int]] = {}
    for processor in processors:
        # A core is known by the processors that share it.
        core = str(processor)
        with contextlib.suppress(OSError):
            core = (topology / f"cpu{processor}/topology/thread_siblings_list").read_text(encoding="ascii").strip()
        cores.setdefault(core, []).append(processor)
    return cores.values()
