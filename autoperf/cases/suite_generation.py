"""Generation of suites: the cases of operators, and a rendered file for each."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from autoperf import __version__
from autoperf.cases.build import BuildResult, Recipe
from autoperf.cases.large_tensors import built_cases
from autoperf.cases.release import Release
from autoperf.cases.render import Origin, RenderedFile, render, write
from autoperf.cases.selection import Target
from autoperf.cases.store import VERSION, CasesHeader, CaseWriter
from autoperf.core.errors import OutputError

CASES_FILE = "cases.ndjson"


@dataclass(frozen=True)
class Prepared:
    """One operator's cases and rejections; a suite also has its rendered file, if there are cases."""

    target: Target
    built: BuildResult
    rendered: RenderedFile | None = None


def prepare(release: Release, target: Target, recipe: Recipe, name: str = "") -> Prepared:
    """Draws and completes the cases of one operator, under another of its names if `name` is one."""
    if target.rule is None:
        return Prepared(target, BuildResult())
    built = built_cases(target.operator, target.rule, recipe, release.client)
    return Prepared(target, renamed(built, name or target.operator.name))


def renamed(built: BuildResult, name: str) -> BuildResult:
    """The cases under another name of their operator."""
    return replace(built, cases=[msgspec.structs.replace(case, operator=name) for case in built.cases])


def prepared_suite(release: Release, chosen: Iterable[Target], recipe: Recipe) -> Iterator[Prepared]:
    """The cases of these operators by their rules, and a rendered file for each."""
    for prepared in (prepare(release, target, recipe) for target in chosen):
        rule, cases = prepared.target.rule, prepared.built.cases
        if rule is None or not cases:
            yield prepared
            continue
        tier, title = release.tier(rule).value, release.backend.title
        origin = Origin(release.registry.mxnet, recipe.seed, rule.source, tier, title)
        yield replace(prepared, rendered=render(cases, origin))


def generate(
    release: Release, suite: Iterable[Prepared], seed: int, folder: Path, force: bool = False
) -> Iterator[Prepared]:
    """Writes one file per operator, and `cases.ndjson` with all cases, below `folder`.

    All are written to a temporary folder and then moved, so that a full disk leaves no partial suite.
    """
    make_folder(folder, force)
    with tempfile.TemporaryDirectory(prefix=".autoperf-", dir=folder) as temporary:
        header = CasesHeader(VERSION, __version__, release.registry.mxnet, seed)
        with CaseWriter(Path(temporary) / CASES_FILE, header) as cases:
            for prepared in suite:
                if prepared.rendered:
                    write(prepared.rendered, Path(temporary))
                cases.add(prepared.built.cases)
                yield prepared
        _move(Path(temporary), folder)


def _move(temporary: Path, folder: Path) -> None:
    """Moves each file into the folder; within one file system this needs no space."""
    try:
        for file in sorted(path for path in temporary.rglob("*") if path.is_file()):
            destination = folder / file.relative_to(temporary)
            destination.parent.mkdir(parents=True, exist_ok=True)
            file.replace(destination)
    except OSError as error:
        raise OutputError(f"can't write into {folder}: {error.strerror}") from error


def make_folder(folder: Path, force: bool = False) -> None:
    """Makes the output folder, whose parent must exist. Raises OutputError before anything is written.

    A folder that is not empty may hold edited files, so it needs `force`.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"invalid folder {folder}: expected a folder, not a file")
        if not folder.absolute().parent.is_dir():
            raise OutputError(f"the folder {folder.absolute().parent} does not exist; create it first")
        folder.mkdir(exist_ok=True)
        if not force and any(folder.iterdir()):
            raise OutputError(
                f"{folder} is not empty; name a new folder, or use --force to replace files of the same name"
            )
        probe = folder / ".autoperf"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OutputError(f"can't write into {folder}: {error.strerror}") from error
