"""What every machine of a fleet must have: the same autoperf, the same builds, and the user's files, by digest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

import autoperf
from autoperf.backends.lookup import backend_of
from autoperf.backends.releases import INSTALLED, is_version
from autoperf.backends.user_code import EXTENSIONS_VARIABLE
from autoperf.core.errors import CaseFileError, LibraryError, UsageError
from autoperf.core.files import file_digest, read_input
from autoperf.core.layers import LayerPlace
from autoperf.fleet.messages import Session, ShippedFile, WantedBuild, WantedSide
from autoperf.measurement.settings import Settings

MAX_FILES_BYTES = 8 * 2**20
"""The limit for the user's files together: they travel with each batch."""
DIGITS = 12


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
    """Files with their content, each once. Raises CaseFileError, UsageError if they are too large together."""
    return _within_limit(tuple(_shipped(path) for path in dict.fromkeys(paths)))


def shipped_rules(paths: Iterable[Path]) -> tuple[ShippedFile, ...]:
    """The files of rules, and all Python files of folders of them, which may import each other. Raises as `shipped`."""
    files: list[ShippedFile] = []
    for path in dict.fromkeys(paths):
        if path.is_dir():
            inside = sorted(path.rglob("*.py"))
            files += (_shipped(file, str(path), str(file.relative_to(path))) for file in inside)
        else:
            files.append(_shipped(path))
    return _within_limit(tuple(files))


def _within_limit(files: tuple[ShippedFile, ...]) -> tuple[ShippedFile, ...]:
    total = sum(len(file.content) for file in files)
    if total > MAX_FILES_BYTES:
        names = ", ".join(file.path for file in files)
        raise UsageError(
            f"{names} have {total:,} bytes together, and at most {MAX_FILES_BYTES:,} are sent to a fleet's machines"
        )
    return files


def _shipped(path: Path, folder: str = "", name: str = "") -> ShippedFile:
    content = read_input(path)
    return ShippedFile(str(path), hashlib.sha256(content).hexdigest(), content, folder, name)


def unpacked(files: Sequence[ShippedFile], folder: Path) -> dict[str, Path]:
    """Writes these files below a folder; returns their paths here by those on the client.

    A folder that was sent as a whole has one path. Raises CaseFileError for a content that isn't the client's, OSError
    for a full disk.
    """
    places = {}
    for file in files:
        digest = hashlib.sha256(file.content).hexdigest()
        if digest != file.digest:
            raise CaseFileError(
                f"{file.path} arrived damaged: expected the digest {file.digest[:DIGITS]}, got {digest[:DIGITS]}"
            )
        root = folder / (_folder_digest(files, file.folder) if file.folder else digest[:DIGITS])
        place = root / (file.name or Path(file.path).name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
        places[file.folder or file.path] = root if file.folder else place
    return places


def _folder_digest(files: Sequence[ShippedFile], folder: str) -> str:
    """The digest of the names and contents of a folder's files, so that no file of an earlier session is among them."""
    parts = sorted(f"{file.name}\0{file.digest}\0" for file in files if file.folder == folder)
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:DIGITS]


def with_places(session: Session, folder: Path) -> Session:
    """The session with the user's files here: layers and rules by their paths, extensions in the environment."""
    layers = unpacked(session.layers, folder)
    extensions = unpacked(session.extensions, folder)
    if extensions:
        os.environ[EXTENSIONS_VARIABLE] = os.pathsep.join(map(str, extensions.values()))
    else:
        os.environ.pop(EXTENSIONS_VARIABLE, None)
    rules = tuple(map(str, unpacked(session.rules, folder).values()))
    hunt = msgspec.structs.replace(session.hunt, rules=rules) if session.hunt else None
    sides = tuple(_with_layers(side, layers) for side in session.sides)
    return msgspec.structs.replace(session, sides=sides, hunt=hunt)


def _with_layers(side: WantedSide, places: Mapping[str, Path]) -> WantedSide:
    own = {name: _placed(place, places) for name, place in side.settings.layers.items()}
    return msgspec.structs.replace(side, settings=msgspec.structs.replace(side.settings, layers=own))


def _placed(place: LayerPlace, places: Mapping[str, Path]) -> LayerPlace:
    return msgspec.structs.replace(place, file=str(places[place.file])) if place.file else place


def layer_files(settings: Iterable[Settings]) -> list[Path]:
    """The files of the user's own layers."""
    return [Path(place.file) for each in settings for place in each.layers.values() if place.file]
