"""Coverage ledgers: made from a release, compared, read and written."""

from __future__ import annotations

from pathlib import Path

import msgspec

from autoperf.core.atomic import is_special, write_atomic
from autoperf.core.errors import CaseFileError, OutputError, UsageError
from autoperf.core.inputs import read_input
from autoperf.core.ledger import BaselineCheck, CoverageBaseline, CoverageEntry, compare
from autoperf.core.ndjson import BYTE_ORDER_MARK, kind_of
from autoperf.core.operator import Registry
from autoperf.pipeline.coverage import status_of
from autoperf.pipeline.gradients import Gradients, read_gradients
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Selection, Target, targets

VERSION = 1
TYPE = "ledger"


class _Head(msgspec.Struct):
    type: str
    version: int


def coverage_baseline(release: Release) -> CoverageBaseline:
    """The current ledger of a release."""
    every = targets(release.registry, release.catalog, Selection())
    gradients = read_gradients(release, every)
    entries = {target.operator.name: _entry(target, gradients) for target in every}
    return CoverageBaseline(release.registry.mxnet, entries)


def check(release: Release, path: Path) -> BaselineCheck:
    """The changes since the ledger was written.

    Raises CaseFileError for an invalid ledger, UsageError for the ledger of another release.
    """
    before = read_ledger(path)
    mxnet = release.registry.mxnet
    if before.mxnet != mxnet:
        raise UsageError(
            f"invalid ledger {path}: expected one of MXNet {mxnet}, got MXNet {before.mxnet}; name that release "
            f"with --mxnet, or write a ledger of {mxnet} with --write-ledger"
        )
    return compare(before, coverage_baseline(release), canonical_names(release.registry))


def canonical_names(registry: Registry) -> dict[str, str]:
    """The canonical name of each alias."""
    return {alias: operator.name for operator in registry.operators for alias in operator.aliases}


def read_ledger(path: Path) -> CoverageBaseline:
    """The ledger in a file. Raises CaseFileError if it is unreadable, invalid, or has another version."""
    try:
        data = read_input(path).removeprefix(BYTE_ORDER_MARK)
    except CaseFileError as error:
        reason = str(error).removeprefix(f"can't read {path}: ")
        raise CaseFileError(f"the ledger {path} can't be read: {reason}") from None
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.type != TYPE:
            raise CaseFileError(f"invalid ledger {path}: expected type {TYPE!r}, got {head.type!r}")
        if head.version != VERSION:
            raise CaseFileError(
                f"the ledger {path} has version {head.version}, and this autoperf reads version {VERSION}; "
                "check it with the autoperf that wrote it, or write a new one with --write-ledger to another file"
            )
        return msgspec.json.decode(data, type=CoverageBaseline)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        first_line = data.lstrip().partition(b"\n")[0]
        kind = "" if first_line.startswith(b"{") else f"; it seems to be {kind_of(first_line)}"
        raise CaseFileError(f"invalid ledger {path}: {error}{kind}") from None


def write_ledger(path: Path, ledger: CoverageBaseline) -> None:
    """Writes a ledger atomically. Only a ledger of the same release is replaced.

    Raises OutputError if the write fails, CaseFileError and UsageError if the path holds another file.
    """
    if is_special(path):
        raise OutputError(f"the ledger {path} can't be written: it is a device or a pipe; give another file")
    if path.exists():
        _refuse_others(path, ledger.mxnet)
    try:
        write_atomic(path, to_text(ledger))
    except OSError as error:
        raise OutputError(f"the ledger {path} can't be written: {error.strerror}") from None


def to_text(ledger: CoverageBaseline) -> str:
    """The text of a ledger: one operator per line, sorted by name, so that diff can compare two versions."""
    head = _json({"type": TYPE, "version": VERSION, "mxnet": ledger.mxnet})[:-1]
    lines = ",\n".join(f"{_json(name)}: {_json(entry)}" for name, entry in sorted(ledger.operators.items()))
    return f'{head},"operators":{{\n{lines}\n}}}}\n'


def _refuse_others(path: Path, mxnet: str) -> None:
    try:
        existing = read_ledger(path).mxnet
    except CaseFileError as error:
        raise CaseFileError(f"{error}; it is not replaced: name another file for the ledger, or remove it") from None
    if existing != mxnet:
        raise UsageError(
            f"{path} is the ledger of MXNet {existing} and is not replaced by one of MXNet {mxnet}: name another file"
        )


def _entry(target: Target, gradients: Gradients) -> CoverageEntry:
    gradient = gradients.get(target.operator.name)
    return CoverageEntry(
        status=status_of(target),
        category=target.rule.category if target.rule else "",
        reason=target.excluded.reason.value if target.excluded else "",
        differentiable=gradient.differentiable if gradient else None,
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
