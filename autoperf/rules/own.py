"""A user's own rules, read from files: for operators of one's own build, or for other inputs than the built-in ones."""

from __future__ import annotations

import importlib
import json
import math
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType

import msgspec
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, RuleError, UnknownNameError
from autoperf.core.names import is_name
from autoperf.core.operator import Operator, Value
from autoperf.core.tensors import DTYPES, Content, wrong_share
from autoperf.rules.catalog import Catalog, catalog_of, members
from autoperf.rules.rehearsal import Enter, rehearse
from autoperf.rules.rule import Brief, Draft, Exclusion, Inputs, Rule

PACKAGE = "own_rules"


def own_rules(paths: Iterable[Path]) -> Catalog:
    """The rules in these Python files, and in the Python files of these folders.

    Each file is run in a process of its own first, so that one that ends or hangs is told like any that fails.
    Raises RuleError for a path that has no rule, for a file that fails, and for two rules for one name.
    """
    listed = tuple(paths)
    rehearse(partial(_found, listed))
    found = _found(listed)
    return catalog_of(_guarded(item) if isinstance(item, Rule) else item for item in found)


def _found(paths: Sequence[Path], enter: Enter = lambda _file: None) -> list[Rule | Exclusion]:
    """What stands in the files, each once; `enter` is told of each file before it is run."""
    found: dict[int, Rule | Exclusion] = {}
    for number, path in enumerate(paths):
        modules = list(_modules(path, f"{PACKAGE}{number or ''}", enter))
        here = {id(item): item for module in modules for item in members(module)}
        if not here:
            raise RuleError(f"{path} has no rule; CONTRIBUTING.md shows how one is written")
        found |= here
    for item in found.values():
        _check_names(item)
    return list(found.values())


def _check_names(item: Rule | Exclusion) -> None:
    """Raises RuleError for a rule or an exclusion of what is no operator's name."""
    source = item.source if isinstance(item, Rule) else f"the exclusion {item.evidence!r}"
    if not isinstance(item.names, tuple):
        raise RuleError(f"{source}: the operators are {item.names!r}, not a tuple of names")
    for name in item.names:
        if not isinstance(name, str):
            raise RuleError(f"{source}: {name!r} is no operator's name, but of type {type(name).__name__}")


def _modules(path: Path, package: str, enter: Enter) -> Iterator[ModuleType]:
    """The modules of a file or a folder, as a package that is made for them, so that one may import the other."""
    try:
        files = sorted(path.glob("*.py")) if path.is_dir() else [path] if path.suffix == ".py" else []
        if not path.exists():
            raise RuleError(f"{path} doesn't exist; give a Python file with rules, or a folder of such files")
    except OSError as error:
        raise RuleError(f"{path} can't be read: {error.strerror}") from None
    if not files:
        raise RuleError(f"{path} is no Python file, nor a folder with one")
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
    parent = ModuleType(package)
    parent.__path__ = [str(path if path.is_dir() else path.parent)]
    sys.modules[package] = parent
    importlib.invalidate_caches()
    for file in files:
        enter(file)
        with _blaming(str(file), file):
            yield importlib.import_module(f"{package}.{file.stem}")


@contextmanager
def _blaming(what: str, file: Path | None = None) -> Iterator[None]:
    """Turns whatever a user's code raises into one line that says where.

    What Hypothesis raises to steer its draws passes, and so do our own errors, which say where themselves.
    """
    try:
        yield
    except (AutoperfError, HypothesisException):
        raise
    except (Exception, SystemExit) as error:
        where = f", line {line}" if file and (line := _line(error, file)) else ""
        raise RuleError(f"{what}{where}: {type(error).__name__}: {error}") from error


def _line(error: BaseException, file: Path) -> int | None:
    """The last line of this file that the error came through, or at which it can't be parsed."""
    if isinstance(error, SyntaxError):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if Path(frame.filename).name == file.name), None)


def _guarded(rule: Rule) -> Rule:
    """The rule, whose own mistakes name it."""
    matches = rule.matches

    def canonical(brief: Brief) -> Mapping[str, Inputs]:
        with _blaming(f"{rule.source}: its canonical inputs"):
            made = rule.canonical(brief)
        if not isinstance(made, Mapping) or not made:
            raise RuleError(f"{rule.source}: canonical is no mapping of profiles to inputs(...), or an empty one")
        return {profile: _checked(rule, call) for profile, call in made.items()}

    def draw(drawing: st.DrawFn, brief: Brief) -> Inputs:
        with _blaming(rule.source):
            made = rule.draw(drawing, brief)
        return _checked(rule, made)

    def matcher(operator: Operator) -> bool:
        with _blaming(f"{rule.source}: its matcher"):
            return bool(matches and matches(operator))

    counts = rule.flops

    def flops(case: Case) -> float:
        with _blaming(f"{rule.source}: its flops"):
            counted = float(counts(case)) if counts else 0.0
        if not math.isfinite(counted) or counted < 0:
            raise RuleError(f"{rule.source}: its flops of {case.id} are {counted}, which is no number of operations")
        return counted

    return replace(
        rule,
        canonical=canonical,
        draw=draw,
        matches=matcher if matches else None,
        flops=flops if counts else None,
    )


def _checked(rule: Rule, call: object) -> Inputs:
    """The call, if it is made of what calls are made of."""
    if not isinstance(call, Inputs):
        raise RuleError(f"{rule.source}: where inputs(...) belongs stands a value of type {type(call).__name__}")
    for name in (*call.tensors, *call.params, *call.graphs):
        if not is_name(name):
            raise RuleError(f"{rule.source}: {name!r} is no name that an input or a parameter could have")
    for name, given in call.tensors.items():
        for draft in given if isinstance(given, tuple) else (given,):
            _check_draft(rule.source, name, draft)
    try:
        msgspec.convert(dict(call.params), dict[str, Value])
        json.dumps(call.params, allow_nan=False)
    except (msgspec.ValidationError, ValueError) as error:
        raise RuleError(f"{rule.source}: a parameter is no plain value: {error}") from error
    return call


def _check_draft(source: str, name: str, draft: object) -> None:
    if not isinstance(draft, Draft):
        raise RuleError(f"{source}: the tensor {name} is no Draft but of type {type(draft).__name__}")
    if draft.dtype is not None and draft.dtype not in DTYPES:
        raise UnknownNameError(f"dtype of {name} in {source}", draft.dtype, DTYPES)
    if any(type(size) is not int or size < 0 for size in draft.shape):
        raise RuleError(f"{source}: the tensor {name} has the shape {draft.shape}, which no tensor has")
    if draft.content is not None and not isinstance(draft.content, Content):
        raise RuleError(f"{source}: the content of {name} is {draft.content!r}, not Uniform(...) or its like")
    wrong = wrong_share(draft.density, draft.content)
    if wrong:
        raise RuleError(f"{source}: the tensor {name} has {wrong}")
