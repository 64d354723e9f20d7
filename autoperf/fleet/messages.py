"""What travels between a command line and the machines of a fleet: messages as msgpack, and what all must have."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

import msgspec

import autoperf
from autoperf.backends.lookup import MXNET, backend_of
from autoperf.backends.releases import INSTALLED, is_version
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.case import Case
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.events import LoggedEvent
from autoperf.core.files import EXTENSIONS_VARIABLE, file_digest, read_input
from autoperf.hunt.request import HuntRequest
from autoperf.measurement.batches import BatchAnswer, BatchRequest, Job
from autoperf.measurement.run_request import BuildHints
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import Side
from autoperf.runs.runfile import Machine

MAX_FILES_BYTES = 8 * 2**20
"""The limit for the user's files together: they travel with each batch."""
DIGITS = 12


class WantedBuild(msgspec.Struct, frozen=True):
    """A build as the user named it, which a machine has to have: its version, and its digest if it is given by path."""

    framework: str
    hint: str | None
    version: str
    digest: str = ""


class WantedSide(msgspec.Struct, frozen=True):
    """A side of a session: its label, its settings, its build and the build of MXNet that it follows."""

    label: str
    settings: Settings
    build: WantedBuild
    followed: WantedBuild | None = None


class ShippedFile(msgspec.Struct, frozen=True):
    """A file of the user's code: its path on the client, or its folder's and its `name` below that, and its content."""

    path: str
    content: bytes
    name: str = ""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a machine needs to measure batches of a run.

    `files` has the user's code: extensions, layers (named by the settings), and rules (named by a hunt). `dtypes` are
    those of --dtype. `stop` has the options by which pairs in turn end. A `hunt` is searched by the machine; a run's
    cases are made by the client.
    """

    sides: tuple[WantedSide, ...]
    dtypes: tuple[str, ...] = ()
    int64_tensor: bool = False
    stop: ComparisonOptions | None = None
    files: tuple[ShippedFile, ...] = ()
    extensions: tuple[str, ...] = ()
    hunt: HuntRequest | None = None


class Greeting(msgspec.Struct, frozen=True, tag="greeting"):
    """Asks for the records of the machine, and for the answers to a batch that all machines measure first."""

    batch: BatchRequest | None = None


class CallsMessage(msgspec.Struct, frozen=True, tag="calls"):
    """Asks to try the calls of a Python program on each side."""

    jobs: tuple[tuple[Job, ...], ...]


class HuntMessage(msgspec.Struct, frozen=True, tag="hunt"):
    """Asks to search some operators for so many seconds; `recorded` has the cases to try first, by operator."""

    operators: tuple[str, ...]
    seconds: float
    recorded: dict[str, tuple[Case, ...]] = {}


class SessionOpened(msgspec.Struct, frozen=True, tag="opened"):
    """The record of each side's machine, what disturbs measurements there, and the answers to the greeting's batch."""

    machines: tuple[Machine, ...]
    notices: tuple[str, ...] = ()
    agreement: tuple[BatchAnswer, ...] = ()


class BatchDone(msgspec.Struct, frozen=True, tag="done"):
    """All answers to a batch."""

    answers: tuple[BatchAnswer, ...]


class HuntDone(msgspec.Struct, frozen=True, tag="searched_operators"):
    """The events of a search, in order, and the failures of the user's rules."""

    events: tuple[LoggedEvent, ...]
    rule_failures: tuple[str, ...] = ()


class CallsTried(msgspec.Struct, frozen=True, tag="tried"):
    """All calls were tried; `refused` has the framework's words for one that it refuses, else it is empty."""

    refused: str = ""


class MachineRefused(msgspec.Struct, frozen=True, tag="unusable"):
    """The machine can't measure this session, for this reason."""

    reason: str


class CutOff(msgspec.Struct, frozen=True, tag="cut_off"):
    """A request without an answer, of a machine that may answer others; `reason` is a sentence."""

    reason: str


Request: TypeAlias = Greeting | BatchRequest | CallsMessage | HuntMessage
Answer: TypeAlias = SessionOpened | BatchDone | HuntDone | CallsTried | MachineRefused | CutOff
Encoded = TypeVar("Encoded")


class Reply(msgspec.Struct, Generic[Encoded], frozen=True):
    """An answer with the Dask address of the worker and the name of the host that gave it."""

    address: str
    host: str
    answer: Encoded


class Order(msgspec.Struct, frozen=True):
    """An encoded request and its session, for a measuring process without the worker's `dropped` variables."""

    session: bytes
    request: bytes
    dropped: tuple[str, ...]


@cache
def source_digest() -> str:
    """The digest of autoperf's own Python files, as they were when it was first asked for."""
    folder = Path(autoperf.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(f"{file.relative_to(folder)}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:DIGITS]


def wanted_build(framework: str, hint: str | None, version: str, build: Path) -> WantedBuild:
    """What a machine is asked for: a release by its version, a path by its content."""
    by_version = hint is None or hint == INSTALLED or is_version(hint)
    if by_version or not build.is_file():
        return WantedBuild(framework, hint, version)
    return WantedBuild(framework, str(Path(hint or "").absolute()), version, file_digest(build))


def wanted_side(side: Side, settings: Settings, hints: BuildHints) -> WantedSide:
    """The side of a session for these builds."""
    release = side.release
    build = wanted_build(hints.framework, hints.build, release.version, release.library)
    if not release.followed:
        return WantedSide(side.label, settings, build)
    followed = wanted_build(MXNET, hints.followed, release.registry.mxnet, release.followed)
    return WantedSide(side.label, settings, build, followed)


def found_build(wanted: WantedBuild) -> Path:
    """The build on this machine. Raises LibraryError for one that isn't there, or isn't the client's."""
    title = backend_of(wanted.framework).title
    path = backend_of(wanted.framework).find(wanted.hint)
    if not wanted.digest:
        return path
    digest = file_digest(path)
    if digest != wanted.digest:
        raise LibraryError(
            f"{title} at {path} is another build: expected the digest {wanted.digest[:DIGITS]}, as on the client, got "
            f"{digest[:DIGITS]}"
        )
    return path


def check_version(wanted: WantedBuild, version: str) -> None:
    """Raises LibraryError for a build of another version than the client's."""
    if wanted.version != version:
        title = backend_of(wanted.framework).title
        raise LibraryError(f"expected {title} {wanted.version}, as on the client, got {version}")


def shipped(paths: Iterable[Path]) -> tuple[ShippedFile, ...]:
    """Files and all Python files of folders, which may import each other. Raises CaseFileError and UsageError."""
    files: list[ShippedFile] = []
    for path in dict.fromkeys(paths):
        if path.is_dir():
            inside = sorted(path.rglob("*.py"))
            files += (ShippedFile(str(path), read_input(file), str(file.relative_to(path))) for file in inside)
        else:
            files.append(ShippedFile(str(path), read_input(path)))
    total = sum(len(file.content) for file in files)
    if total > MAX_FILES_BYTES:
        names = ", ".join(dict.fromkeys(file.path for file in files))
        raise UsageError(
            f"{names} have {total:,} bytes together, and at most {MAX_FILES_BYTES:,} are sent to a fleet's machines"
        )
    return tuple(files)


def unpacked(files: Sequence[ShippedFile], folder: Path) -> dict[str, Path]:
    """Writes files below a folder; the path of each file or folder here by that on the client. Raises OSError."""
    places: dict[str, Path] = {}
    roots = {path: folder / str(number) for number, path in enumerate(dict.fromkeys(file.path for file in files))}
    for file in files:
        root = roots[file.path]
        place = root / (file.name or Path(file.path).name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
        places[file.path] = root if file.name else place
    return places


def with_places(session: Session, folder: Path) -> Session:
    """The session with the user's files here: layers and rules by their paths, extensions in the environment."""
    places = unpacked(session.files, folder)
    os.environ.pop(EXTENSIONS_VARIABLE, None)
    if session.extensions:
        os.environ[EXTENSIONS_VARIABLE] = os.pathsep.join(str(places[path]) for path in session.extensions)
    hunt = session.hunt
    if hunt:
        rules = (places.get(str(Path(path))) for path in hunt.rules)
        hunt = msgspec.structs.replace(hunt, rules=tuple(str(place) for place in rules if place))
    sides = []
    for side in session.sides:
        own = {
            name: msgspec.structs.replace(place, file=str(places[place.file])) if place.file else place
            for name, place in side.settings.layers.items()
        }
        sides.append(msgspec.structs.replace(side, settings=msgspec.structs.replace(side.settings, layers=own)))
    return msgspec.structs.replace(session, sides=tuple(sides), hunt=hunt)


def layer_files(settings: Iterable[Settings]) -> list[Path]:
    """The files of the user's own layers."""
    return [Path(place.file) for each in settings for place in each.layers.values() if place.file]
