"""The scratch folder of a run, values that wait in a file of it, and the removal of leftovers of killed runs."""

from __future__ import annotations

import io
import os
import resource
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from autoperf.core.errors import OutputError
from autoperf.core.files import is_locked, make_locked, open_regular
from autoperf.measurement.attribution import Boundaries

PREFIX = "autoperf-"
OWNER = "owner"
ELSEWHERE = "set TMPDIR to another folder"
MARK = b"autoperf scratch folder, version 1: removed by the next run once its own has ended\n"
"""The content of each owner file: a folder without it belongs to another program."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder for rendered files and logs; those of killed runs are removed first. Raises OutputError."""
    with ExitStack() as stack:
        try:
            remove_leftovers(Path(tempfile.gettempdir()))
            folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        except OSError as error:
            raise OutputError(f"can't make a scratch folder: {error.strerror}; {ELSEWHERE}") from error
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        try:
            stack.enter_context(make_locked(folder / OWNER, MARK))
        except OSError as error:
            raise OutputError(f"can't write {folder / OWNER}: {error.strerror}; {ELSEWHERE}") from error
        yield folder


def remove_leftovers(parent: Path) -> int:
    """Removes this user's scratch folders below `parent` whose owner is dead. Returns their number."""
    removed = 0
    for folder in parent.glob(f"{PREFIX}*"):
        # Other runs may start and end meanwhile; a folder without an owner may be new.
        with suppress(OSError):
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            with io.FileIO(folder / OWNER, "r", opener=open_regular) as file:
                is_leftover = file.read(len(MARK) + 1) == MARK and not is_locked(file)
            if is_leftover:
                shutil.rmtree(folder, ignore_errors=True)
                removed += not folder.exists()
    return removed


T = TypeVar("T")


class Spool(Generic[T]):
    """Values of one kind in a file of NDJSON, in the order in which they were added."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        """The file is created with the first value."""
        self._path = path
        self._encoder = msgspec.json.Encoder()
        self._decoder = msgspec.json.Decoder(kind)

    def put(self, value: T) -> None:
        """Appends a value. Raises OutputError, for instance if the disk is full."""
        try:
            with self._path.open("ab") as file:
                file.write(self._encoder.encode(value) + b"\n")
        except OSError as error:
            raise OutputError(f"can't write {self._path}: {error.strerror}; {ELSEWHERE}") from error

    def __iter__(self) -> Iterator[T]:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            yield from map(self._decoder.decode, file)


LARGEST_BLOCK = 2**25
"""The size in bytes up to which glibc reuses blocks, at most (M_MMAP_THRESHOLD's maximum, see `man mallopt`)."""
LARGEST_HEAP = 2**26
"""The size in bytes of the heaps from which glibc serves threads other than the first (HEAP_MAX_SIZE)."""
KEEP_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(LARGEST_BLOCK),
    "MALLOC_TRIM_THRESHOLD_": str(2**40),
    "MALLOC_TOP_PAD_": str(LARGEST_HEAP),
}
"""glibc reuses each block that it can, and returns no heap to Linux while a case is measured.

It returns an empty heap unless the one before it has less room than the padding. A single heap for all threads would
do too, but makes calls of 20 us 3% slower.
"""
OTHER_ALLOCATOR = ("LD_PRELOAD", "GLIBC_TUNABLES")

FAULT_NS = 1000
NEGLIGIBLE = 0.01
# The interpreter and the trace take a page now and then; it is no memory of the operator's.
STRAY = 1
# Calls in a row without fresh memory; a later one that takes some is measured again.
QUIET = 3
# The number of calls with alike amounts after which further calls are expected to take as much.
MANY = 24
ALIKE = 0.02
# The maximum share of samples of another state, which doesn't move a median.
FRESH = 0.1


def allocator_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables by which glibc keeps freed memory; none where the user sets up the allocator."""
    if any(name in OTHER_ALLOCATOR or name.startswith("MALLOC_") for name in environment):
        return {}
    return dict(KEEP_MEMORY)


def is_negligible(faults: float, nanoseconds: float) -> bool:
    """Whether this number of page faults changes a time by less than 1%."""
    return faults * FAULT_NS <= NEGLIGIBLE * nanoseconds


def has_settled(calls: Sequence[Boundaries]) -> bool:
    """Whether further calls will take no less fresh memory than the last ones did.

    They take none, or their blocks are too large to be reused, or many calls in a row took alike amounts. The first
    call of all may take memory that the next two reuse.
    """
    last = calls[-QUIET:]
    if len(last) < QUIET:
        return False
    reusing = last[1:] if len(calls) == QUIET else last
    if all(is_negligible(sum(call.faults), call.forward + call.backward) for call in reusing):
        return True
    enough = LARGEST_BLOCK // resource.getpagesize()
    return _alike(last) and (min(sum(call.faults) for call in last) >= enough or _alike(calls[-MANY:], MANY))


def are_settled(warm_up: Sequence[Boundaries], samples: Sequence[Boundaries]) -> bool:
    """Whether samples are of the settled state: they take no fresh memory, or as much as when the warm-up ended."""
    if all(is_negligible(sum(call.faults), call.forward + call.backward) for call in samples):
        return True
    return has_settled(warm_up) and sum(call.fresh for call in samples) <= FRESH * len(samples)


def settled_faults(calls: Sequence[Boundaries]) -> tuple[int, int]:
    """The page faults of either pass in the settled state: the median of the last calls."""
    last = calls[-QUIET:]
    forward, backward = (sorted(call.faults[which] for call in last)[len(last) // 2] for which in (0, 1))
    return forward, backward


def takes_more(call: Boundaries, settled: tuple[int, int]) -> bool:
    """Whether a pass took so much more fresh memory than in the settled state that its time is not of that state."""
    return any(
        not is_negligible(faults - usual, nanoseconds) and faults - usual > max(STRAY, ALIKE * usual)
        for faults, usual, nanoseconds in zip(call.faults, settled, (call.forward, call.backward), strict=True)
    )


def _alike(calls: Sequence[Boundaries], least: int = QUIET) -> bool:
    counts = [sum(call.faults) for call in calls]
    return len(counts) >= least and max(counts) - min(counts) <= ALIKE * max(counts)
