"""Files: the user's folders; opened for reading, locked, written whole or not at all; the suffixes of their formats."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import os
import re
import secrets
import select
import stat
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar

import autoperf
from autoperf.core.errors import CaseFileError, UsageError

C = TypeVar("C", bound="Closable")


class Closable(ABC):
    """A context manager that closes itself, however its context ends."""

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Releases its resources; a second call does nothing."""


NDJSON = ".ndjson"
_OTHER_FORMATS = frozenset((".csv", ".html", ".json", ".md", ".py", ".toml", ".xml", ".yaml", ".yml"))


def check_ndjson_suffix(path: Path, option: str, advice: str = "") -> None:
    """Raises UsageError, with the advice, for a file of NDJSON with the suffix of another format.

    Such a file could not be read back: `--cases` reads by the suffix, and so do other programs.
    """
    if path.suffix.lower() in _OTHER_FORMATS:
        raise UsageError(f"invalid {option} {path}: it becomes NDJSON; name it {path.with_suffix(NDJSON)}{advice}")


def file_digest(path: Path) -> str:
    """The SHA-256 of a file. Raises CaseFileError and OSError."""
    digest = hashlib.sha256()
    with open_input(path) as content:
        while chunk := content.read(_DIGEST_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def lock(file: io.FileIO) -> bool:
    """Locks the file until it is closed; False if another process holds the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # A file system may have no locks: its users must not share the file.
        return not isinstance(error, BlockingIOError)
    return True


def make_locked(path: Path, content: bytes = b"") -> io.FileIO:
    """Creates a locked file with this content, atomically. Raises OSError."""
    with ExitStack() as stack:
        with atomic_path(path) as temporary:
            file = stack.enter_context(io.FileIO(temporary, "r+"))
            lock(file)
            file.write(content)
        stack.pop_all()
    return file


def is_locked(file: io.FileIO) -> bool:
    """Whether another process holds the open file's lock. Raises OSError."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def open_regular(path: str, flags: int) -> int:
    """Opens a regular file of this user without following links or blocking. Raises OSError for anything else."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file of this user", path)


MAX_BYTES = 2**36
MAX_PIPE_BYTES = 2**32
MAX_WHOLE_BYTES = 2**28
PIPE_SECONDS = 60.0
_CHUNK = 2**16
_DIGEST_CHUNK = 2**20
# The path of the pipe of `<(command)`. Other pipes may have no writer, and would block.
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_STANDARD_INPUT = "/dev/stdin"
_KINDS = {
    stat.S_IFDIR: "Is a directory",
    stat.S_IFIFO: "it is a named pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}


def open_input(path: Path, *, max_bytes: int = MAX_BYTES, seconds: float = PIPE_SECONDS) -> BinaryIO:
    """The file, open for reading. Raises CaseFileError if it isn't a regular file or has more than `max_bytes`.

    The pipe of a process substitution (`<(command)`) is read to its end and replaced by a temporary file under the
    same path, so that it can be read again; its writer may pause for at most `seconds`.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise CaseFileError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from error
    with ExitStack() as stack:
        stack.callback(os.close, descriptor)
        try:
            if _is_regular(path, descriptor, max_bytes, seconds):
                os.set_blocking(descriptor, True)
                file = os.fdopen(descriptor, "rb")
                stack.pop_all()
                return file
        except OSError as error:
            raise CaseFileError(f"can't read {path}: {error.strerror}") from error
    return open_input(path, max_bytes=max_bytes)


def read_input(path: Path, *, max_bytes: int = MAX_WHOLE_BYTES) -> bytes:
    """The file's whole content. Raises CaseFileError as `open_input` does."""
    with open_input(path, max_bytes=max_bytes) as file:
        try:
            return file.read()
        except OSError as error:
            raise CaseFileError(f"can't read {path}: {error.strerror}") from error


def check_input(path: Path, *, max_bytes: int = MAX_BYTES) -> None:
    """Raises CaseFileError for a path that `open_input` can't open."""
    open_input(path, max_bytes=max_bytes).close()


def _is_regular(path: Path, descriptor: int, max_bytes: int, seconds: float) -> bool:
    """Whether it is a regular file; False for a pipe, which a file has replaced. Raises CaseFileError otherwise."""
    status = os.fstat(descriptor)
    kind = stat.S_IFMT(status.st_mode)
    match = _DESCRIPTOR.fullmatch(str(path))
    target = 0 if str(path) == _STANDARD_INPUT else int(match[1]) if match else None
    if kind == stat.S_IFIFO and target is not None:
        _replace_pipe(path, descriptor, target, min(max_bytes, MAX_PIPE_BYTES), seconds)
        return False
    if kind != stat.S_IFREG:
        hint = "" if kind == stat.S_IFDIR else "; give a regular file"
        raise CaseFileError(f"can't read {path}: {_KINDS.get(kind, 'not a regular file')}{hint}")
    if status.st_size > max_bytes:
        raise CaseFileError(f"can't read {path}: it has {status.st_size:,} bytes, but the limit is {max_bytes:,}")
    return True


def _replace_pipe(path: Path, pipe: int, target: int, max_bytes: int, seconds: float) -> None:
    poll = select.poll()
    poll.register(pipe, select.POLLIN)

    def next_chunk() -> bytes:
        if not poll.poll(seconds * 1000):
            raise CaseFileError(f"can't read {path}: the pipe had no data for {seconds:g} s")
        return os.read(pipe, _CHUNK)

    with tempfile.TemporaryFile() as file:
        for chunk in iter(next_chunk, b""):
            if file.tell() + len(chunk) > max_bytes:
                raise CaseFileError(f"can't read {path}: the pipe has more than the limit of {max_bytes:,} bytes")
            file.write(chunk)
        file.flush()
        os.dup2(file.fileno(), target, inheritable=False)


_SPELLED = "backslashreplace"


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary file in the same folder; it replaces `path` when the block succeeds, and is removed otherwise.

    Of a link, the file that it leads to is replaced.
    Raises OSError, also for a device or a pipe, which a file must not replace.
    """
    if is_special(path):
        raise OSError(errno.EINVAL, "it is a device or a pipe", str(path))
    with suppress(FileNotFoundError):
        path.stat()  # Raises OSError for a link to itself, which realpath takes.
    place = Path(os.path.realpath(path))
    temporary = place.with_name(f".autoperf-{secrets.token_hex(6)}.new")
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        yield temporary
        temporary.replace(place)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_text(path: Path) -> Iterator[TextIO]:
    """`atomic_path` as a UTF-8 file, or a device or pipe itself. Raises OSError, also for a pipe without a reader."""
    if is_special(path):
        # Without waiting for a reader; nothing is created or truncated.
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        os.set_blocking(descriptor, True)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors=_SPELLED, newline="") as file:
            yield file
        return
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", errors=_SPELLED, newline="") as file:
        yield file


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write a file so that a reader sees the old or the new one, never a part. Raises OSError."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(data.encode(errors=_SPELLED) if isinstance(data, str) else data)


def is_special(path: Path) -> bool:
    """Whether something stands there, or where a link leads to, that is neither a file nor a folder."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


CACHE_VARIABLE = "AUTOPERF_CACHE"
RELEASES_VARIABLE = "AUTOPERF_RELEASES"
FRAMEWORKS_VARIABLE = "AUTOPERF_FRAMEWORKS"
EXTENSIONS_VARIABLE = "AUTOPERF_EXTENSIONS"
# A folder of every Linux machine that all may write to, and that a restart empties.
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - what lies there is opened without following links


def cache_folder() -> Path:
    """$AUTOPERF_CACHE, else `autoperf` in the user's cache folder. Raises UsageError for a home of an unknown user."""
    # Not at the top: an interpreter that has another framework may lack it, and its processes need no cache.
    import platformdirs  # noqa: PLC0415

    return _from_environment(CACHE_VARIABLE) or Path(platformdirs.user_cache_dir("autoperf"))


def releases_folder() -> Path:
    """$AUTOPERF_RELEASES, else `releases` in the cache folder. Raises UsageError as `cache_folder` does."""
    return _from_environment(RELEASES_VARIABLE) or cache_folder() / "releases"


def frameworks_folder() -> Path:
    """$AUTOPERF_FRAMEWORKS, else `frameworks` in the cache folder, as NAME/VERSION. Raises as `cache_folder` does."""
    return _from_environment(FRAMEWORKS_VARIABLE) or cache_folder() / "frameworks"


def claims_folder() -> Path:
    """Where the runs of this user on this machine claim processors, whatever their cache and temporary folders."""
    return SHARED_MEMORY / f"autoperf-claims-{os.getuid()}"


def _from_environment(variable: str) -> Path | None:
    text = os.environ.get(variable)
    return expanded_path(text, variable) if text else None


def expanded_path(text: str | os.PathLike[str], what: str) -> Path:
    """The path with `~` expanded. Raises UsageError that names `what` it is."""
    if "\0" in os.fspath(text):
        raise UsageError(f"invalid {what} {text!r}: a path has no NUL character")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"invalid {what} {text!r}: {str(error).rstrip('.')}; give the full path") from error


CHILD_VARIABLES = ("PYTHONPATH", "PYTHONSAFEPATH", "PYTHONUNBUFFERED", "PYTHONWARNINGS")
"""The variables that autoperf sets for every child; a user can't override them."""


def child_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment and `extra`, with this package on the path but not the child's working folder."""
    home = str(Path(autoperf.__file__).resolve().parent.parent)
    path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
    return {**os.environ, **extra, **dict(zip(CHILD_VARIABLES, (path, "1", "1", "ignore"), strict=True))}
