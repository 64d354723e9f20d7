"""Generation of suites: the cases of operators, also large ones, and a rendered file for each."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import msgspec

from autoperf import __version__
from autoperf.cases.build import BuildResult, CaseBuilder, Recipe, build, flat_tensors, with_drafts
from autoperf.cases.release import Release
from autoperf.cases.render import Origin, RenderedFile, render, write
from autoperf.cases.selection import Target
from autoperf.cases.store import VERSION, CasesHeader, CaseWriter
from autoperf.core.errors import OutputError
from autoperf.core.operator import Operator
from autoperf.core.options import MAX_BYTES
from autoperf.core.tensors import Shape
from autoperf.registry.client import RegistryClient
from autoperf.rules.rule import Inputs, InputSpec, Rule

PROFILE = "int64"
ELEMENTS = 2**32
"""The number of elements that the largest tensor exceeds."""
DTYPES = ("int8", "float16")
"""The dtypes to try if the user gave none, the smallest first; then the rule's own."""
CASES_FILE = "cases.ndjson"
_TOO_SMALL = "no tensor and no shape of its canonical inputs can be enlarged: give large inputs by --input"


def built_cases(operator: Operator, rule: Rule, recipe: Recipe, completer: RegistryClient) -> BuildResult:
    """The operator's cases by the recipe: canonical and drawn ones, or one with a large tensor."""
    return (_large if recipe.int64_tensor else build)(operator, rule, recipe, completer)


def _large(operator: Operator, rule: Rule, recipe: Recipe, completer: RegistryClient) -> BuildResult:
    """The first case that inference accepts, in the first dtype in which it accepts one."""
    result = BuildResult()
    recipe = replace(recipe, max_bytes=MAX_BYTES, draws=0)
    for dtype in recipe.dtypes or dict.fromkeys((*DTYPES, rule.dtype)):
        builder = CaseBuilder(InputSpec(operator, dtype), rule, replace(recipe, dtypes=(dtype,)), completer)
        if rule.dtypes and dtype not in rule.dtypes:
            reason = f"{completer.title} doesn't check this dtype: it takes {', '.join(rule.dtypes)}"
            builder.refuse((PROFILE,), reason, of_dtype=True)
        else:
            calls = [call for canonical in builder.canonical().values() for call in enlarged(canonical)]
            if not calls:
                builder.refuse((PROFILE,), _TOO_SMALL, of_dtype=False)
            if any(builder.add([(PROFILE, call)]) for call in calls):
                return BuildResult(builder.result.cases)
        result = result.joined(builder.result)
    return BuildResult(rejections=result.rejections[:1])


def enlarged(call: Inputs) -> Iterator[Inputs]:
    """The call with a tensor of more than 2**32 elements, in the ways in which its tensors may belong together.

    The largest tensor grows along its first axis, alone or with all tensors of its shape or of its first extent.
    A call without tensors has a larger shape as its parameter.
    """
    drafts = flat_tensors(call)
    largest = max(drafts.values(), key=lambda draft: prod(draft.shape), default=None)
    if largest is None or not largest.shape:
        for name in ("shape", "size"):
            value = call.params.get(name)
            shape = tuple(extent for extent in value if isinstance(extent, int)) if isinstance(value, tuple) else ()
            if shape and shape == value:
                yield replace(call, params={**call.params, name: (_longer(shape), *shape[1:])})
        return
    of_its_shape = {name for name, draft in drafts.items() if draft.shape == largest.shape}
    of_its_extent = {name for name, draft in drafts.items() if draft.shape[:1] == largest.shape[:1]}
    itself = {name for name, draft in drafts.items() if draft is largest}
    extent = _longer(largest.shape)

    def grown(names: set[str]) -> Inputs:
        larger = {name: replace(drafts[name], shape=(extent, *drafts[name].shape[1:])) for name in names}
        return with_drafts(call, larger.get)

    yield from map(grown, (of_its_shape, of_its_extent, itself))


def _longer(shape: Shape) -> int:
    """The first extent with which a tensor of this shape has more than 2**32 elements."""
    return ELEMENTS // max(1, prod(shape[1:])) + 1


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
    """Writes a file per operator, and all cases, to a temporary folder, then moves them: a full disk leaves no part."""
    make_folder(folder, force)
    with tempfile.TemporaryDirectory(prefix=".autoperf-", dir=folder) as temporary:
        header = CasesHeader(VERSION, __version__, release.registry.mxnet, seed)
        with CaseWriter(Path(temporary) / CASES_FILE, header) as cases:
            for prepared in suite:
                if prepared.rendered:
                    write(prepared.rendered, Path(temporary))
                cases.add(prepared.built.cases)
                yield prepared
        try:
            # Within one file system this needs no space.
            for file in sorted(path for path in Path(temporary).rglob("*") if path.is_file()):
                destination = folder / file.relative_to(temporary)
                destination.parent.mkdir(parents=True, exist_ok=True)
                file.replace(destination)
        except OSError as error:
            raise OutputError(f"can't write into {folder}: {error.strerror}") from error


def make_folder(folder: Path, force: bool = False) -> None:
    """Makes the output folder; one with files needs `force`. Raises OutputError before anything is written."""
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
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OutputError(f"can't write into {folder}: {error.strerror}") from error
