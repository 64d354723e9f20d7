"""NDJSON files with a header line, read and written a complete line at a time; sequences that make items on access."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import shutil
from abc import abstractmethod
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, overload

import msgspec

from autoperf.core.errors import CaseFileError, OutputError, nearest
from autoperf.core.files import atomic_path, check_input, lock, open_input

T = TypeVar("T")
MAX_LINE_BYTES = 2**30
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
EXPECTED = {
    "run": "the run file that `autoperf run --run-file FILE` writes",
    "cases": "the cases.ndjson of a suite, or a file that ends in .yaml, .json, .toml or .py",
    "hunt": "the log.ndjson of a hunt",
}
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines, numbered from 1. Raises CaseFileError if the file can't be read, or ends within a line."""
    try:
        with open_input(path) as file:
            for number, line in nonempty_lines(path, lines_of(path, file)):
                if not line.endswith(b"\n") and not is_document(line):
                    advice = f"remove the line to read the {number - 1} before it" if number > 1 else "make it again"
                    raise CaseFileError(
                        f"{path}, line {number}: the file ends within the line, so it is truncated; {advice}"
                    )
                yield number, line
    except OSError as error:
        raise CaseFileError(f"can't read {path}: {error.strerror}") from error


def lines_of(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """The remaining lines of an open file. Raises CaseFileError for one of more than MAX_LINE_BYTES."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            raise CaseFileError(f"can't read {path}: a line of it has more than {MAX_LINE_BYTES:,} bytes")
        yield line


def is_document(line: bytes) -> bool:
    """Whether the line is a complete JSON document."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return True


def nonempty_lines(path: Path, lines: Iterable[bytes], first: int = 1) -> Iterator[tuple[int, bytes]]:
    """The lines, numbered from `first`, without empty ones at the end. Raises CaseFileError for other empty lines."""
    empty = 0
    for number, line in enumerate(lines, first):
        if not line.strip():
            empty = empty or number
        elif empty:
            raise CaseFileError(f"{path}, line {empty}: invalid empty line: expected JSON; remove the line")
        else:
            yield number, line


def check_header(path: Path, line: bytes, kind: str, version: int, remedy: str) -> None:
    """Raises CaseFileError for another header. It is checked first: another version may have any fields."""
    content = line.removeprefix(BYTE_ORDER_MARK).strip()
    is_part = not content.startswith(b'{"type"') and not is_document(content)
    if content and (not content.startswith(b"{") or is_part):
        raise CaseFileError(
            f"invalid {kind} file {path}, line 1: expected {EXPECTED[kind]}, got something that seems to be "
            f"{kind_of(content)}"
        )
    header = decode_line(path, 1, line, dict[str, Any])
    if header.get("type") != kind:
        raise CaseFileError(f"invalid {kind} file {path}: expected type {kind!r} in line 1, not {header.get('type')!r}")
    actual = header.get("version")
    if actual != version:
        raise CaseFileError(
            f"{path} has version {actual!r} of the {kind} format; this autoperf reads version {version}: {remedy}"
        )


def check_keys(path: Path, number: int, line: bytes, value: object) -> None:
    """Raises CaseFileError for a key of the line that is not a field of the value decoded from it."""
    if unknown_key := _unknown_key(decode_line(path, number, line, dict[str, Any]), msgspec.to_builtins(value)):
        location, key, known = unknown_key
        similar = nearest(key, known)
        hint = f"did you mean {similar[0]!r}?" if similar else "remove it"
        raise CaseFileError(f"{path}, line {number}: unknown key {location[1:]!r}; {hint}")


def _unknown_key(data: Any, known: Any) -> tuple[str, str, list[str]] | None:
    """The location of an unknown key (`case.inputs[0].colour`), the key, and the known keys there."""
    pairs: Iterable[tuple[str, Any, Any]] = ()
    if isinstance(data, dict) and isinstance(known, dict):
        unknown = next((key for key in data if key not in known), None)
        if unknown is not None:
            return f".{unknown}", unknown, [key for key in known if key not in data]
        pairs = ((f".{key}", value, known[key]) for key, value in data.items())
    elif isinstance(data, list) and isinstance(known, list | tuple):
        pairs = ((f"[{index}]", item, other) for index, (item, other) in enumerate(zip(data, known, strict=False)))
    for key, item, other in pairs:
        if unknown_key := _unknown_key(item, other):
            return f"{key}{unknown_key[0]}", *unknown_key[1:]
    return None


def decode_line(path: Path, number: int, line: bytes, kind: type[T]) -> T:
    """The line as a value of this type, without the file's byte order mark. Raises CaseFileError."""
    if number == 1:
        line = line.removeprefix(BYTE_ORDER_MARK)
    if not line.strip():
        raise CaseFileError(f"{path}, line {number}: invalid empty line: expected JSON; remove the line")
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError as error:
        surrogate = not isinstance(error, msgspec.ValidationError) and _SURROGATE.search(line)
        cause = "; it has a lone surrogate, such as \\ud800" if surrogate else ""
        raise CaseFileError(f"{path}, line {number}: {error}{cause}") from error
    except UnicodeDecodeError as error:
        raise CaseFileError(f"{path}, line {number}: not UTF-8 text") from error
    except RecursionError as error:
        raise CaseFileError(f"{path}, line {number}: nested too deeply") from error


_STARTS = (
    (rb"\x1f\x8b", "a gzip archive, which has to be unpacked"),
    (rb"PK\x03\x04", "a zip archive, which has to be unpacked"),
    (rb"\x28\xb5\x2f\xfd", "a zstd archive, which has to be unpacked"),
    (rb"\x89PNG|GIF8|\xff\xd8\xff", "an image"),
    (rb"\x7fELF", "a library or a program"),
    (rb".{8}DUCK", "a history: `autoperf history` reads it"),
    (rb"(?s:.*)\x00", "a binary file"),
    (rb"\s*<(?:!doctype html|html)", "an HTML page"),
    (rb"\s*<\?xml|\s*<\w+", "an XML file"),
    (rb"\s*\[", "a JSON document"),
    (rb"\s*\{", "a JSON document of several lines, such as a report"),
    (rb"[|#]", "Markdown"),
    (rb"(?:import|from|def|class)\s|\x22\x22\x22|#!", "a Python file"),
    (rb"[^,]+(?:,[^,]*){2,}$", "CSV"),
    (rb"[\w-]+:(?:\s|$)", "a YAML file"),
)
_KINDS = tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in _STARTS)


def kind_of(first_line: bytes) -> str:
    """The kind of a file with this first line: "an HTML page"; "text" if nothing else fits."""
    line = first_line.rstrip(b"\r\n")
    return next((kind for pattern, kind in _KINDS if pattern.match(line)), "text")


class NdjsonWriter:
    """An NDJSON file that is being written, each line at once; one that a full disk cuts off is removed.

    A file that was removed is written again with the next line; `restored` counts this, `lost`: it failed.
    """

    def __init__(self, file: io.FileIO) -> None:
        self.restored, self.lost = 0, False
        self._file = file
        self._encoder = msgspec.json.Encoder()

    def append(self, *values: object) -> None:
        """Appends a line for each value, or none. Raises OSError."""
        if not os.fstat(self._file.fileno()).st_nlink:
            self._restore()
        begin = self._file.tell()
        data = memoryview(b"".join(self._encoded(value) + b"\n" for value in values))
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError:
            with contextlib.suppress(OSError):
                self.cut(begin)
            raise

    def _encoded(self, value: object) -> bytes:
        """The value as JSON; lone surrogates, as in paths that aren't UTF-8, are escaped."""
        try:
            return self._encoder.encode(value)
        except UnicodeEncodeError:
            return self._encoder.encode(_escaped(msgspec.to_builtins(value)))

    def _restore(self) -> None:
        """Writes a removed file again, from the open descriptor."""
        path = Path(os.fsdecode(self._file.name))
        self.lost = True
        file = created(path)
        try:
            self._file.seek(0)
            shutil.copyfileobj(self._file, file)
        except OSError:
            file.close()
            path.unlink(missing_ok=True)
            raise
        self._file.close()
        self._file = file
        self.lost = False
        self.restored += 1

    def cut(self, length: int) -> None:
        """Truncates the file, and appends there. Raises OSError."""
        self._file.truncate(length)
        self._file.seek(length)

    def leave_out(self, lines: Container[int]) -> None:
        """Replaces the file by one without the lines that begin there. Raises OSError; then it stays as it is."""
        path = Path(os.fsdecode(self._file.name))
        if not os.path.samestat(os.fstat(self._file.fileno()), path.stat()):
            raise OSError(errno.ESTALE, "another file is in its place", str(path))
        with atomic_path(path) as temporary, temporary.open("wb") as kept, path.open("rb") as written:
            begin = 0
            for line in written:
                if begin not in lines:
                    kept.write(line)
                begin += len(line)

    def close(self) -> None:
        """Closes and unlocks the file."""
        self._file.close()


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_escaped(key): _escaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(item) for item in value]
    return value


def begun(path: Path, *values: object) -> NdjsonWriter:
    """Writes a line for each value to a new file, which is locked. Raises OSError, and then leaves no new file."""
    writer = NdjsonWriter(created(path))
    try:
        writer.append(*values)
    except OSError:
        writer.close()
        path.unlink(missing_ok=True)
        raise
    return writer


def continued(file: io.FileIO, length: int) -> NdjsonWriter:
    """Appends to an open file after its first `length` bytes. Raises OSError."""
    writer = NdjsonWriter(file)
    writer.cut(length)
    return writer


def created(path: Path) -> io.FileIO:
    """A new file, locked until it is closed. Raises OSError, also if it exists."""
    file = io.FileIO(path, "x+")
    lock(file)
    return file


@contextmanager
def opened_for_resume(path: Path, kind: str) -> Iterator[io.FileIO]:
    """The locked file of a run or a hunt (`kind`) that has ended or was cut off; it stays open unless the block raises.

    Raises CaseFileError for a path that can't be read, OutputError if it can't be written or is still being written.
    """
    if path.exists():
        check_input(path)
    try:
        file = io.FileIO(path, "r+")
    except OSError as error:
        raise OutputError(f"can't resume {path}: {error.strerror}") from error
    try:
        if not lock(file):
            raise OutputError(f"can't resume {path}: its {kind} is still running; wait until it ends")
        yield file
    except BaseException:
        file.close()
        raise


class LazySequence(Sequence[T]):
    """A sequence that makes its items by `item`; a slice of it is lazy too."""

    @abstractmethod
    def item(self, position: int) -> T:
        """The item at a position from the front."""

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Picked[T]: ...

    def __getitem__(self, index: int | slice) -> T | Picked[T]:
        positions = range(len(self))[index]
        return self.item(positions) if isinstance(positions, int) else Picked(self, positions)


class Picked(LazySequence[T]):
    """Some items of a sequence, by their positions in it; it keeps no items."""

    def __init__(self, items: Sequence[T], positions: Sequence[int]) -> None:
        self._items, self._positions = items, positions

    def __len__(self) -> int:
        return len(self._positions)

    def item(self, position: int) -> T:
        """The item at a position of the selection."""
        return self._items[self._positions[position]]
