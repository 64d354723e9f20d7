"""Checks implementations in one framework by MXNet's results, in the interpreter that has the framework.

python tools/implementation_check.py FRAMEWORK FOLDER [--find | --types] [OPERATOR...]

`tools/implementation_references.py` has written MXNet's results into the folder. Without --find, it prints how each
operator stands, and adds it to FRAMEWORK.verdicts beside the results. With --find, introspection proposes
implementations, and those that hold are added to the data file of the package. With --types, whole and half-precision
types in which an implementation differs are added to the package's file of differences.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from autoperf.backends.lookup import backend_of
from autoperf.backends.protocol import CallOptions, Engine
from autoperf.backends.results import common_gradients, difference, program_of, results_of_case
from autoperf.core.operator import Operator
from autoperf.core.outcome import GRADIENT
from autoperf.core.tensors import Distinct, Integers
from autoperf.implementations.implementation import CAST, FRAMEWORKS, WHOLE, Implementation
from autoperf.implementations.lookup import arguments, differences, found_by_name, implementation, types_of
from tools.implementation_files import Expected, OperatorResults, load_all
from tools.implementation_introspection import proposals

FOUND = Path(__file__).resolve().parents[1] / "autoperf" / "implementations" / "found"
FIND, TYPES = "--find", "--types"
OTHER_TYPES = ("float16", "int32", "int64")
"""Types in which an implementation may differ from MXNet, and then has no cases."""


class Verdict(msgspec.Struct, frozen=True):
    """How an operator stands: `found`, `hand`, `none` or `differs`, and the reason for the last two.

    `gradient` is `gradient`, `missing`, or `-` where MXNet has none; `without` of the cases have no implementation.
    """

    operator: str
    category: str
    standing: str
    reason: str = ""
    gradient: str = ""
    cases: int = 0
    without: int = 0

    @property
    def text(self) -> str:
        """A line of the list."""
        share = f"{self.cases - self.without}/{self.cases}"
        return f"{self.standing:8} {self.gradient:9} {share:6} {self.category}  {self.operator}  {self.reason}"


def main(arguments: Sequence[str]) -> None:
    """Prints how each operator stands; ends with the usage for missing arguments."""
    words = [word for word in arguments if word not in (FIND, TYPES)]
    if len(words) < 2 or words[0] not in FRAMEWORKS:
        sys.exit(__doc__)
    framework, folder, names = words[0], Path(words[1]), words[2:]
    engine, stored = open_engine(framework), load_all(folder, names)
    if FIND in arguments:
        find_all(framework, engine, stored)
        return
    if TYPES in arguments:
        write_differences(framework, engine, stored)
        return
    path = folder / f"{framework}.verdicts"
    verdicts = stored_verdicts(path)
    for results in stored:
        verdict = verdicts[results.operator.name] = verdict_of(framework, engine, results)
        path.write_bytes(msgspec.json.encode([verdicts[name] for name in sorted(verdicts)]))
        _say(verdict.text)
    _say(summary(list(verdicts.values())))


def stored_verdicts(path: Path) -> dict[str, Verdict]:
    """The verdicts of earlier checks by operator."""
    verdicts = msgspec.json.decode(path.read_bytes(), type=list[Verdict]) if path.is_file() else []
    return {verdict.operator: verdict for verdict in verdicts}


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def summary(verdicts: Sequence[Verdict]) -> str:
    """The counts of all standings, and of gradients."""
    counts = Counter(verdict.standing for verdict in verdicts)
    gradients = sum(verdict.gradient == "gradient" for verdict in verdicts)
    parts = " + ".join(f"{number} {standing}" for standing, number in sorted(counts.items()))
    return f"{len(verdicts)} operators = {parts}; {gradients} with gradients"


def verdict_of(framework: str, engine: Engine, results: OperatorResults) -> Verdict:
    """How an operator stands in a framework: the first difference of its cases, or why it has no implementation."""
    operator, category = results.operator, results.category
    usable = [expected for expected in results.expected if not expected.error]
    if not usable:
        return Verdict(operator.name, category, "none", f"MXNet: {next((it.error for it in results.expected), '')}")
    reasons: list[str] = []
    used: dict[str, Implementation] = {}
    for expected in usable:
        chosen = implementation(framework, operator, expected.case)
        if isinstance(chosen, str):
            reasons.append(chosen)
            continue
        used[chosen.expression] = chosen
        problem = difference_of(engine, chosen, operator, expected)
        if problem:
            reason = f"{expected.case.id} {expected.case.profile}: {problem} [{chosen.expression}]"
            return Verdict(operator.name, category, "differs", reason, "-", len(usable), len(reasons))
    standing = next((it.origin for it in used.values()), "none")
    gradient = _gradient(usable, list(used.values()))
    return Verdict(operator.name, category, standing, "; ".join(reasons[:1]), gradient, len(usable), len(reasons))


def _gradient(expected: Sequence[Expected], used: Sequence[Implementation]) -> str:
    if not any(np.any(array) for item in expected if item.results for array in item.results.gradients.values()):
        return "-"
    return "gradient" if used and all(it.differentiable for it in used) else "missing"


def difference_of(engine: Engine, chosen: Implementation, operator: Operator, expected: Expected) -> str:
    """The first difference of results or gradients, or the framework's error; empty if there is none."""
    if expected.results is None:
        return expected.error
    program = program_of(chosen, operator, expected.case)
    request, count = common_gradients(expected.results, program), len(expected.results.outputs)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Functions that are deprecated, or warn of another meaning, are left out.
            warnings.simplefilter("error")
            engine.seed(1)
            results = results_of_case(engine.prepare(expected.case, CallOptions(), program), request, count)
    except Exception as error:  # noqa: BLE001 - whatever an expression raises, it doesn't hold
        return f"{type(error).__name__}: {str(error)[:160]}".replace("\n", " ")
    found = difference(expected.results, results, expected.case, program)
    return found.words if found else ""


def open_engine(framework: str) -> Engine:
    """The framework in this process, with the settings of its backend."""
    backend = backend_of(framework)
    os.environ.update(backend.variables("worker"))
    return backend.open(Path(sys.executable))


def write_differences(framework: str, engine: Engine, stored: Iterable[OperatorResults]) -> None:
    """Adds the types in which implementations differ to the framework's file of differences."""
    known = dict(differences(framework))
    path = FOUND / f"{framework}-differences.json"
    for results in stored:
        found = dict(type_differences(framework, engine, results))
        if found:
            known[results.operator.name] = {**known.get(results.operator.name, {}), **found}
            lines = [f"{json.dumps(name)}: {json.dumps(known[name], sort_keys=True)}" for name in sorted(known)]
            path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        _say(f"{results.operator.name}: {found}")
    _say(f"{len(known)} operators differ in some types")


def type_differences(framework: str, engine: Engine, results: OperatorResults) -> Iterator[tuple[str, str]]:
    """The first difference of an operator in each of these types in which it has one."""
    done: set[str] = set()
    for expected in results.expected:
        types = types_of(expected.case)
        chosen = implementation(framework, results.operator, expected.case)
        if expected.error or isinstance(chosen, str) or types in done or not any(it in types for it in OTHER_TYPES):
            continue
        if problem := difference_of(engine, chosen, results.operator, expected):
            done.add(types)
            yield types, problem.partition(" at (")[0]


def find_all(framework: str, engine: Engine, stored: Iterable[OperatorResults]) -> None:
    """Adds the proposals that hold to the framework's data file."""
    known = dict(found_by_name(framework))
    for results in stored:
        known.pop(results.operator.name, None)
        held = first_held(framework, engine, results)
        if held:
            known[held.operator] = held
            _say(f"{held.operator}: {held.expression} {held.note}")
    lines = [msgspec.json.encode(known[name]).decode() for name in sorted(known)]
    (FOUND / f"{framework}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    _say(f"{len(known)} found")


def first_held(framework: str, engine: Engine, results: OperatorResults) -> Implementation | None:
    """The first proposal that holds over all cases, with its gradient or, if none does so, without."""
    usable = [expected for expected in results.expected if not expected.error and _plain(expected)]
    if not usable:
        return None
    given = (arguments(results.operator, expected.case) for expected in usable)
    parameters = dict.fromkeys(name for values in given for name in values)
    fallback = None
    whole = whole_inputs(usable)
    for proposal in proposals(framework, results.operator, parameters):
        for candidate in _variants(proposal, whole):
            held, problem = _tried(engine, candidate, results.operator, usable)
            if not problem:
                return held
            if fallback is None and GRADIENT in problem:
                forward = msgspec.structs.replace(held, differentiable=False)
                fallback = None if first_difference(engine, forward, results.operator, usable) else forward
    return fallback


def _plain(expected: Expected) -> bool:
    return expected.case.way == "call" and all(item.tensor.storage == "default" for item in expected.case.inputs)


def whole_inputs(usable: Sequence[Expected]) -> dict[str, str]:
    """The conversions of inputs that hold whole numbers: indices, lengths, labels."""
    tensors = [item for expected in usable for item in expected.case.arguments if "[" not in item.name]
    names = dict.fromkeys(it.name for it in tensors if isinstance(it.tensor.content, Integers | Distinct))
    return {name: f"whole({name})" for name in names}


def _variants(proposal: Implementation, whole: Mapping[str, str]) -> Iterator[Implementation]:
    """The proposal, and with whole inputs as indices."""
    yield proposal
    used = {name: text for name, text in whole.items() if re.search(rf"\b{name}\b", proposal.expression)}
    if used:
        yield msgspec.structs.replace(proposal, prepare=used, note=WHOLE)


def _tried(
    engine: Engine, candidate: Implementation, operator: Operator, usable: Sequence[Expected]
) -> tuple[Implementation, str]:
    """The candidate and its first difference; results of another dtype are cast, and have no gradient."""
    problem = first_difference(engine, candidate, operator, usable)
    if ": dtype " not in problem:
        return candidate, problem
    note = "; ".join(filter(None, (candidate.note, CAST)))
    cast = msgspec.structs.replace(candidate, cast=True, note=note, differentiable=False)
    return cast, first_difference(engine, cast, operator, usable)


def first_difference(engine: Engine, proposal: Implementation, operator: Operator, usable: Sequence[Expected]) -> str:
    """The first difference from MXNet's results in any case; empty if the proposal holds."""
    return next(filter(None, (difference_of(engine, proposal, operator, expected) for expected in usable)), "")


if __name__ == "__main__":
    main(sys.argv[1:])
