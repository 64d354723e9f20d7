"""The process of the sandbox, `python -m autoperf.rules.rule_files READING WRITING BYTES PATH...`: runs a user's rules.

It may end, hang or crash at any request: the sandbox reports it, and starts another. Its output goes to a log.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import importlib.util
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import msgspec
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from autoperf.core.case import Case
from autoperf.core.errors import AutoperfError, RuleError, UnknownNameError, innermost_line, innermost_place
from autoperf.core.files import MAX_WHOLE_BYTES, check_input
from autoperf.core.operator import Value
from autoperf.core.tensors import DTYPES, Content, tensor_problem
from autoperf.core.texts import is_name
from autoperf.core.work import Work
from autoperf.implementations.expressions import UserLine, checked_line
from autoperf.implementations.implementation import TableLine
from autoperf.implementations.lookup import holds
from autoperf.processes.channel import UNSOLICITED, Channel, ChannelClosed
from autoperf.processes.forks import limit_memory, parent_channel
from autoperf.rules import sandbox
from autoperf.rules.catalog import members
from autoperf.rules.gluon_layers.layer import GluonLayer, layer_rule
from autoperf.rules.rule import Draft, Exclusion, Inputs, InputSpec, Rule, check_contents, check_profile, top_level

PACKAGE = "user_rules"

Enter: TypeAlias = Callable[[Path], None]
"""Called with each file before it is run."""

Item: TypeAlias = Rule | Exclusion | UserLine


def read_rules(paths: Sequence[Path], enter: Enter = lambda _file: None) -> list[Item]:
    """The rules and the lines in these Python files, and in those of these folders, each once. Raises RuleError."""
    entries: dict[int, Item] = {}
    for number, path in enumerate(paths):
        folder = path if path.is_dir() else path.parent
        of_path: dict[int, tuple[Item, str, str]] = {}
        for source, file, module in _modules(path, f"{PACKAGE}{number or ''}", enter):
            rules = ((id(item), item) for item in members(module))
            gluon = [item for item in top_level(module) if isinstance(item, GluonLayer)]
            layers = ((id(item), layer_rule(item, folder, file.removesuffix(":"))) for item in gluon)
            items = dict([*rules, *layers, *_lines(module)])
            of_path |= {key: (item, source, file) for key, item in items.items() if key not in of_path}
        if not of_path:
            raise RuleError(
                f"invalid rules {path}: expected at least one rule, or one line of an implementation; "
                "docs/guides/own-operators.md shows how they are written"
            )
        for key, (item, source, file) in of_path.items():
            if isinstance(item, Rule) and item.source.startswith(source):
                # The source names the file, where its module has another name.
                entries.setdefault(key, replace(item, source=file + item.source.removeprefix(source)))
            entries.setdefault(key, item)
    return list(entries.values())


def _lines(module: ModuleType) -> Iterator[tuple[int, UserLine]]:
    for name, value in vars(module).items():
        if isinstance(value, tuple | list) and any(isinstance(item, TableLine) for item in value):
            strange = [item for item in value if not isinstance(item, TableLine | Rule | Exclusion | GluonLayer)]
            if strange:
                raise RuleError(f"{module.__file__}, {name}: {strange[0]!r:.80} is no line")
    for item in top_level(module):
        if isinstance(item, TableLine):
            yield id(item), checked_line(item, f"{module.__file__}, line {item.number}")


def _modules(path: Path, package: str, enter: Enter) -> Iterator[tuple[str, str, ModuleType]]:
    """The modules of a file or a folder, in a package of their own, so that they can import each other.

    With each module come the present and the intended prefix of the sources of its rules.
    """
    try:
        files = sorted(path.glob("*.py")) if path.is_dir() else [path] if path.suffix == ".py" else []
        if not path.exists():
            raise RuleError(f"invalid rules {path}: expected an existing Python file, or a folder of such files")
    except OSError as error:
        raise RuleError(f"{path} can't be read: {error.strerror}") from None
    if not files:
        raise RuleError(f"invalid rules {path}: expected a Python file, or a folder with Python files")
    parent = ModuleType(package)
    parent.__path__ = [str(path if path.is_dir() else path.parent)]
    sys.modules[package] = parent
    importlib.invalidate_caches()
    for number, file in enumerate(files):
        enter(file)
        # Importing a named pipe or a device would wait forever.
        check_input(file, max_bytes=MAX_WHOLE_BYTES)
        with as_rule_error(str(file), file):
            module = _import_file(package, file, number)
        yield f"{module.__name__.replace('.', '/')}.py:", f"{package}/{file.name}:", module


def _import_file(package: str, file: Path, number: int) -> ModuleType:
    """The file as a module; a name that isn't an identifier (`my.rules.py`) is replaced by a unique one."""
    if file.stem.isidentifier():
        return importlib.import_module(f"{package}.{file.stem}")
    name = f"{package}.file-{number}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise RuleError(f"{file} can't be imported")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def as_rule_error(what: str, file: Path | None = None) -> Iterator[None]:
    """Turns exceptions of user code into a RuleError with file and line.

    Exceptions of Hypothesis, which control its draws, pass unchanged, and so do those of autoperf without a line.
    """
    try:
        yield
    except RuleError as error:
        if file and (line := innermost_line(error, file)):
            raise RuleError(f"{what}, line {line}: {error}") from error
        raise
    except (AutoperfError, HypothesisException):
        raise
    except MemoryError:
        raise RuleError(f"{what}: MemoryError: it exceeds the memory limit; see --memory-limit") from None
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        if not file:
            modules = [module for name, module in list(sys.modules.items()) if name.startswith(PACKAGE)]
            files = {path for module in modules if (path := module.__dict__.get("__file__"))}
            place = innermost_place(error, files)
            where = f" ({place.filename}, line {place.lineno})" if place else ""
            raise RuleError(f"{what}: {type(error).__name__}: {error}{where}") from error
        where = f", line {line}" if (line := innermost_line(error, file)) else ""
        raise RuleError(f"{what}{where}: {type(error).__name__}: {error}") from error


def answer(item: Rule | UserLine, function: sandbox.RuleFunction[Any], arguments: Sequence[Any]) -> object:
    """The checked result of a function of a rule, or of a line's condition. Raises AutoperfError, which names it."""
    what = f"{item.source}: {function.title}"
    if function is sandbox.DRAW and isinstance(item, Rule):
        return _drawn(item, *arguments)
    with as_rule_error(what):
        if isinstance(item, UserLine):
            return holds(item.line.when, *arguments)
        made = getattr(item, function.name)(*arguments)
        if function not in (sandbox.CANONICAL, sandbox.CONTENTS, sandbox.COMPLETION):
            return _checked(what, function, arguments, made)
    if function is sandbox.CONTENTS:
        return check_contents(item.source, made)
    if function is not sandbox.CANONICAL:
        return _check_inputs(item.source, made)
    if not isinstance(made, Mapping) or not made:
        raise RuleError(f"{item.source}: invalid canonical: expected a mapping of profiles to inputs(...), not empty")
    for profile in made:
        check_profile(item.source, profile)
    return {profile: _check_inputs(item.source, call) for profile, call in made.items()}


def _checked(what: str, function: sandbox.RuleFunction[Any], arguments: Sequence[Any], made: Any) -> object:
    if function is sandbox.MATCHES:
        return bool(made)
    if function in (sandbox.FLOPS, sandbox.MOVES):
        return _checked_count(what, arguments[0], float(made))
    if function is sandbox.BACKWARD_WORK:
        counts = (float(getattr(made, field)) for field in Work.__struct_fields__)
        return Work(*(_checked_count(what, arguments[0], counted) for counted in counts))
    return msgspec.convert(msgspec.to_builtins(made), function.result)


def _drawn(rule: Rule, spec: InputSpec, seed: str, size: int, start: int) -> list[Inputs]:
    def draw(drawing: st.DrawFn, spec: InputSpec) -> Inputs:
        with as_rule_error(rule.source):
            made = rule.draw(drawing, spec)
        return _check_inputs(rule.source, made)

    with as_rule_error(rule.source):
        return replace(rule, draw=draw).drawn(spec, seed, size, start)


def _checked_count(what: str, case: Case, counted: float) -> float:
    if not math.isfinite(counted) or counted < 0:
        raise RuleError(f"{what}: invalid count {counted} of {case.id}: expected a finite number of at least 0")
    return counted


def _check_inputs(source: str, call: object) -> Inputs:
    if not isinstance(call, Inputs):
        raise RuleError(f"{source}: invalid inputs of type {type(call).__name__}: expected inputs(...)")
    for name in (*call.tensors, *call.params, *call.graphs):
        if not is_name(name):
            raise RuleError(
                f"{source}: invalid name {name!r} of an input or a parameter: expected letters, digits and underscores"
            )
    for name, drafts in call.tensors.items():
        for draft in drafts if isinstance(drafts, tuple) else (drafts,):
            _check_draft(source, name, draft)
    try:
        msgspec.convert(dict(call.params), dict[str, Value])
        json.dumps(call.params, allow_nan=False)
    except (msgspec.ValidationError, ValueError) as error:
        raise RuleError(f"{source}: invalid parameter: expected a plain value: {error}") from error
    try:
        return msgspec.msgpack.decode(msgspec.msgpack.encode(call), type=Inputs)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RuleError(f"{source}: its inputs can't be stored: {error}") from error


def _check_draft(source: str, name: str, draft: object) -> None:
    if not isinstance(draft, Draft):
        raise RuleError(f"{source}: invalid tensor {name} of type {type(draft).__name__}: expected a Draft")
    if draft.dtype is not None and draft.dtype not in DTYPES:
        raise UnknownNameError(f"dtype of {name} in {source}", str(draft.dtype), DTYPES)
    if any(type(size) is not int or size < 0 for size in draft.shape):
        raise RuleError(
            f"{source}: invalid shape {draft.shape} of the tensor {name}: expected whole numbers of at least 0"
        )
    if draft.content is not None and not isinstance(draft.content, Content):
        raise RuleError(
            f"{source}: invalid content {draft.content!r} of the tensor {name}: expected a content such as Uniform(...)"
        )
    problem = tensor_problem(draft.density, draft.content)
    if problem:
        raise RuleError(f"{source}: tensor {name}: {problem}")


class SandboxService:
    """Answers requests about the rules in these files over a channel; forks that a user's code has made answer none."""

    def __init__(self, channel: Channel[sandbox.Reply, sandbox.Request], paths: Sequence[Path]) -> None:
        self._channel, self._paths, self._owner = channel, paths, os.getpid()
        self._number = UNSOLICITED
        self._items: list[Rule | UserLine] = []

    def serve(self) -> None:
        """Answers requests until there are no more."""
        self._send(sandbox.SandboxReady())
        with contextlib.suppress(ChannelClosed):
            while True:
                self._number, request = self._channel.receive()
                self._send(self._reply(request))

    def _reply(self, request: sandbox.Request) -> sandbox.Reply:
        try:
            if isinstance(request, sandbox.CallRequest):
                function = sandbox.FUNCTIONS[request.function]
                arguments = msgspec.msgpack.decode(request.arguments, type=function.arguments)
                made = answer(self._items[request.rule], function, arguments)
                return sandbox.Returned(msgspec.Raw(msgspec.msgpack.encode(made)))
            items = read_rules(self._paths, lambda file: self._send(sandbox.Entered(str(file))))
            rules = [item for item in items if isinstance(item, Rule)]
            lines = [item for item in items if isinstance(item, UserLine)]
            self._items = [*rules, *lines]
            exclusions = tuple(item for item in items if isinstance(item, Exclusion))
            return sandbox.Described(tuple(map(_rule_data, rules)), exclusions, tuple(lines))
        except AutoperfError as error:
            return sandbox.RuleFailed(_text(str(error)))
        except BaseException as error:  # noqa: BLE001 - whatever a user's code raises is reported
            return sandbox.RuleFailed(_text(f"{type(error).__name__}: {error}"))

    def _send(self, reply: sandbox.Reply) -> None:
        """Sends a reply; a fork ends here."""
        if os.getpid() != self._owner:
            os._exit(0)
        try:
            self._channel.send(reply, self._number)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            self._channel.send(sandbox.RuleFailed(_text(f"the rules' values can't be sent: {error}")), self._number)


def _rule_data(rule: Rule) -> sandbox.RuleData:
    data = {name: getattr(rule, name) for name in sandbox.RuleData.__struct_fields__ if name != "functions"}
    data.update({name: dict(getattr(rule, name)) for name in ("limits", "dims", "varied")})
    data["functions"] = [function.name for function in sandbox.OPTIONAL if getattr(rule, function.name) is not None]
    try:
        return msgspec.convert(msgspec.to_builtins(data), sandbox.RuleData)
    except (msgspec.ValidationError, TypeError) as error:
        raise RuleError(f"{rule.source}: a value that no rule may have: {error}") from error


def _text(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def main(*arguments: str) -> None:
    """Serve within a limit of memory; the process ends whatever threads a user's code has left."""
    reading, writing, memory, *paths = arguments
    channel: Channel[sandbox.Reply, sandbox.Request] = parent_channel((reading, writing), sandbox.request_decoder)
    faulthandler.disable()
    limit_memory(int(memory))
    try:
        SandboxService(channel, tuple(map(Path, paths))).serve()
    except BaseException:  # noqa: BLE001 - the log has it, and the sandbox sees the process end
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
