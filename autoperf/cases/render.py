"""Generates suites: the cases of operators, rendered as one Python file per operator."""

from __future__ import annotations

import keyword
import math
import re
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from pathlib import Path

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from autoperf import __version__
from autoperf.cases.build import BuildResult, CaseBuilder, Recipe, build, flat_tensors, with_drafts
from autoperf.cases.release import Release
from autoperf.cases.selection import Target
from autoperf.cases.store import VERSION, CasesHeader, CaseWriter
from autoperf.core.case import Case, with_lists
from autoperf.core.errors import AutoperfError, OutputError, RuleError
from autoperf.core.graph import Graph
from autoperf.core.operator import Operator, Value
from autoperf.core.options import MAX_BYTES
from autoperf.core.tensors import AnyContent, Literal_, Patterned, Shape, TensorSpec
from autoperf.core.texts import IDENTIFIER, NAME, is_name
from autoperf.registry.client import RegistryClient
from autoperf.rules.rule import Inputs, InputSpec, Rule

MAX_NODES_IN_LINE = 4
"""A graph of more nodes has a line for each."""


def literal(value: Value) -> str:
    """The value's source. Raises AutoperfError for infinity, NaN and unknown types."""
    if isinstance(value, float) and not math.isfinite(value):
        raise AutoperfError(f"{value!r} has no literal; give a finite number")
    if isinstance(value, str):
        return '"' + value.encode("unicode_escape").decode().replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        inner = ", ".join(literal(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    raise AutoperfError(
        f"invalid value {value!r} of type {type(value).__name__}: expected a number, text, bool, None or a tuple"
    )


def argument(name: str, source: str) -> str:
    """`name=source`, as an argument of a call. Raises AutoperfError for an invalid name."""
    if not is_name(name):
        raise AutoperfError(f"invalid name {name!r}: expected {IDENTIFIER}")
    return f"{name}={source}"


def plain(text: object) -> str:
    """The text escaped for a docstring."""
    printable = "".join(letter if letter.isprintable() else " " for letter in str(text))
    return re.sub('"{2,}', lambda quotes: '\\"' * len(quotes[0]), printable.replace("\\", "\\\\"))


def content_source(content: AnyContent) -> str:
    """`uniform(-1.0, 1.0)`: the constructor's name is the content's kind; empty trailing options are left out."""
    if isinstance(content, Literal_):
        return f"literal({', '.join(map(literal, content.values))})"
    if isinstance(content, Patterned):
        rest = literal(content.pattern), literal(content.drawn_as), literal(content.kept)
        return f"patterned({', '.join((content_source(content.content), *rest))})"
    values = [getattr(content, name) for name in content.__struct_fields__]
    while values and (values[-1] is False or values[-1] == ()):
        values.pop()
    return f"{_content_kind(content)}({', '.join(literal(value) for value in values)})"


def _content_kind(content: AnyContent) -> str:
    return str(type(content).__struct_config__.tag)


def tensor_source(spec: TensorSpec) -> str:
    """`tensor((32, 32), "float32", uniform(-1.0, 1.0))`, with storage and density for a sparse one."""
    parts = [literal(spec.shape), literal(spec.dtype), content_source(spec.content)]
    if spec.storage != "default":
        parts += [f"storage={literal(spec.storage)}", f"density={literal(spec.density)}"]
    return f"tensor({', '.join(parts)})"


def graph_source(graph: Graph) -> str:
    """`graph("x", nodes=[node("y", "exp", "x")], outputs=["y"])`; a larger graph has a line for each node."""
    nodes = []
    for node in graph.nodes:
        texts = [literal(text) for text in (node.name, node.operator, *node.inputs)]
        params = [argument(key, literal(value)) for key, value in node.params.items()]
        nodes.append(f"node({', '.join(texts + params)})")
    inputs, outputs = (", ".join(map(literal, names)) for names in (graph.inputs, graph.outputs))
    lead = f"{inputs}, " if inputs else ""
    if len(nodes) <= MAX_NODES_IN_LINE:
        return f"graph({lead}nodes=[{', '.join(nodes)}], outputs=[{outputs}])"
    lines = "".join(f"\n            {node}," for node in nodes)
    return f"graph({lead}nodes=[{lines}\n        ], outputs=[{outputs}])"


def identifier(text: str) -> str:
    """A Python identifier of at most 100 characters, NFKC-normalised as by Python; never a keyword or a dunder name."""
    normal = unicodedata.normalize("NFKC", text)
    name = "".join(letter if f"_{letter}".isidentifier() else "_" for letter in normal)[:100]
    name = unicodedata.normalize("NFKC", name)
    if not name.isidentifier() or name.startswith("__"):
        name = f"case_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name


FORMAT = 1


@cache
def template() -> Template:
    """The template of an operator's file, with the filters `literal` and `plain`; undefined variables raise."""
    environment = Environment(
        loader=PackageLoader("autoperf.cases"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is Python, and every value goes through a filter
    )
    environment.filters["literal"] = literal
    environment.filters["plain"] = plain
    return environment.get_template("operator.py.jinja")


def imports(cases: Iterable[Case]) -> list[str]:
    """The names that a file with these cases imports from `autoperf.bench`."""
    kinds, graphs = set(), set()
    for case in cases:
        contents = [item.tensor.content for item in case.inputs]
        within = [content.content for content in contents if isinstance(content, Patterned)]
        kinds |= set(map(_content_kind, (*contents, *within)))
        graphs |= {"graph", "node"} if case.graphs else set()
    tensors = {"tensor"} if kinds else set()
    return sorted({"Suite", "case", "main", *kinds, *tensors, *graphs}, key=lambda name: (not name[0].isupper(), name))


def view(case: Case, function: str) -> dict[str, object]:
    """The template values of one case, whose function has this name."""
    decoration = [literal(case.id), f"profile={literal(case.profile)}"]
    if case.in_place:
        decoration.append(f"in_place={literal(case.in_place)}")
    if not case.training:
        decoration.append("training=False")
    if case.way != "call" and not (case.graphs and case.way == "graph"):
        decoration.append(f"way={literal(case.way)}")
    given = with_lists((item.name, item.tensor) for item in case.inputs)
    tensors = [
        argument(name, f"[{', '.join(map(tensor_source, each))}]" if isinstance(each, list) else tensor_source(each))
        for name, each in given.items()
    ]
    graphs = [argument(name, graph_source(graph)) for name, graph in case.graphs.items()]
    params = [argument(name, literal(value)) for name, value in case.params.items()]
    return {"function": function, "decoration": decoration, "arguments": tensors + graphs + params}


@dataclass(frozen=True)
class RenderedFile:
    """The text of an operator's file."""

    operator: str
    category: str
    text: str

    @property
    def path(self) -> Path:
        """The file's path in the suite's folder: `category/operator.py`."""
        return Path(self.category) / f"{self.operator}.py"


@dataclass(frozen=True)
class Origin:
    """The origin of cases: the release, the seed, the rule, and the framework's name."""

    mxnet: str
    seed: int
    source: str
    tier: str
    framework: str = "MXNet"


def render(cases: Sequence[Case], origin: Origin) -> RenderedFile:
    """The file of one operator's cases. Raises RuleError for cases of several operators or an invalid name."""
    operators = {(case.operator, case.category) for case in cases}
    if len(operators) != 1:
        raise RuleError(f"invalid cases: expected one operator, not {sorted(operators)!r}")
    operator, category = next(iter(operators))
    for name in (operator, category):
        if not NAME.fullmatch(name):
            raise RuleError(f"invalid name {name!r}: expected {IDENTIFIER}")
    text = template().render(
        **vars(origin),
        operator=operator,
        category=category,
        format=FORMAT,
        filename=f"{operator}.py",
        imports=imports(cases),
        cases=list(map(view, cases, _function_names(cases))),
    )
    return RenderedFile(operator, category, text)


def write(rendered: RenderedFile, folder: Path) -> Path:
    """Writes the file below `folder`. Raises OutputError."""
    path = folder / rendered.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rendered.text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"can't write {path}: {error.strerror}") from error
    return path


def _function_names(cases: Sequence[Case]) -> list[str]:
    """A unique Python name for each case: its profile, with a number if needed."""
    # Built-in names that a rendered file uses, and names that Python defines in each module.
    builtin = ("dict", "SystemExit", "__builtins__", "__debug__", "__doc__", "__file__", "__name__")
    reserved = {*builtin, "SUITE", *imports(cases)}
    used = set(reserved)
    numbers: dict[str, int] = {}
    names = []
    for case in cases:
        stem = identifier(case.profile)
        name = stem = f"{stem}_" if stem in reserved else stem
        while name in used:
            numbers[stem] = numbers.get(stem, 1) + 1
            name = f"{stem}_{numbers[stem]}"
        used.add(name)
        names.append(name)
    return names


PROFILE = "int64"
ELEMENTS = 2**32
"""The number of elements that the largest tensor exceeds."""
DTYPES = ("int8", "float16")
"""The dtypes to try if the user gave none, the smallest first; then the rule's own."""
CASES_FILE = "cases.ndjson"
_TOO_SMALL = "no tensor and no shape of its canonical inputs can be enlarged: give large inputs by --input"


def built_cases(operator: Operator, rule: Rule, recipe: Recipe, completer: RegistryClient) -> BuildResult:
    """The operator's cases by the recipe: canonical and drawn ones, or the first large one that inference accepts."""
    if not recipe.int64_tensor:
        return build(operator, rule, recipe, completer)
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
