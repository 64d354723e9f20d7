"""From operators to cases and rendered files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autoperf import __version__
from autoperf.cases.build import BuildResult, Recipe, build
from autoperf.cases.store import VERSION, CasesHeader, CaseWriter
from autoperf.core.errors import OutputError
from autoperf.generator.render import Origin, RenderedFile, render, write
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Target

CASES_FILE = "cases.ndjson"


@dataclass(frozen=True)
class Prepared:
    """One operator's cases, its rendered file (None without cases), and what was rejected."""

    target: Target
    built: BuildResult
    rendered: RenderedFile | None


def prepare(release: Release, target: Target, recipe: Recipe) -> Prepared:
    """Draw, complete and render the cases of one operator."""
    if target.rule is None:
        return Prepared(target, BuildResult(), None)
    built = build(target.operator, target.rule, recipe, release.client)
    origin = Origin(release.registry.mxnet, recipe.seed, target.rule.source, release.tier(target.rule).value)
    return Prepared(target, built, render(built.cases, origin) if built.cases else None)


def generate(
    release: Release, chosen: list[Target], recipe: Recipe, folder: Path, force: bool = False
) -> Iterator[Prepared]:
    """Write one file for each operator and `cases.ndjson` with all their cases below `folder`.

    They are written beside it first, and moved in when all are there: a full disk leaves nothing half written.
    """
    make_folder(folder, force)
    with tempfile.TemporaryDirectory(prefix=".autoperf-", dir=folder) as beside:
        header = CasesHeader(VERSION, __version__, release.registry.mxnet, recipe.seed)
        with CaseWriter(Path(beside) / CASES_FILE, header) as cases:
            for target in chosen:
                one = prepare(release, target, recipe)
                if one.rendered:
                    write(one.rendered, Path(beside))
                cases.add(one.built.cases)
                yield one
        _move(Path(beside), folder)


def _move(beside: Path, folder: Path) -> None:
    """Put each file in its place; within one file system that takes no room."""
    try:
        for file in sorted(path for path in beside.rglob("*") if path.is_file()):
            place = folder / file.relative_to(beside)
            place.parent.mkdir(parents=True, exist_ok=True)
            file.replace(place)
    except OSError as error:
        raise OutputError(f"can't write into {folder}: {error.strerror}") from error


def make_folder(folder: Path, force: bool = False) -> None:
    """Make the output folder, whose parent must exist. Raises OutputError before anything is written.

    A folder that holds files already may hold somebody's edits: it is written to by `force` only.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{folder} is a file; give a folder")
        if not folder.absolute().parent.is_dir():
            raise OutputError(f"the folder {folder.absolute().parent} doesn't exist; make it first")
        folder.mkdir(exist_ok=True)
        if not force and any(folder.iterdir()):
            raise OutputError(f"{folder} isn't empty; give a new folder, or --force to replace files of the same names")
        probe = folder / ".autoperf"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OutputError(f"can't write into {folder}: {error.strerror}") from error
