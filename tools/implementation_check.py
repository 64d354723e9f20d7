"""Checks implementations in one framework by MXNet's results, in the interpreter that has the framework.

python tools/implementation_check.py FRAMEWORK FOLDER [--find] [OPERATOR...]

`tools/implementation_references.py` has written MXNet's results into the folder. With --find, introspection proposes
implementations, and those that hold are added to the data file of the package.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from autoperf.core.operator import Operator, TensorKind
from autoperf.core.tensors import Distinct, Integers
from autoperf.implementations.expressions import as_compared, updated_names
from autoperf.implementations.implementation import CAST, WHOLE, Implementation
from autoperf.implementations.introspection import proposals
from autoperf.implementations.lookup import arguments, found_by_name, implementation
from autoperf.implementations.results import compare_results
from tools.implementation_files import Array, Expected, OperatorResults, contents, head_gradients, load_all
from tools.implementation_runners import RUNNERS, Runner

FOUND = Path(__file__).resolve().parents[1] / "autoperf" / "implementations" / "found"
FIND = "--find"
GRADIENT = "gradient of "


class Verdict(msgspec.Struct, frozen=True):
    """How an operator stands: `found`, `hand`, `none` or `differs`; and the reason for the last two."""

    operator: str
    category: str
    standing: str
    reason: str = ""
    gradient: str = ""
    cases: int = 0
    without: int = 0


def main(arguments: Sequence[str]) -> None:
    """Prints how each operator stands; ends with the usage for missing arguments."""
    words = [word for word in arguments if word != FIND]
    if len(words) < 2 or words[0] not in RUNNERS:
        sys.exit(__doc__)
    framework, folder, names = words[0], Path(words[1]), words[2:]
    runner = RUNNERS[framework]()
    stored = load_all(folder, names)
    if FIND in arguments:
        find_all(framework, runner, stored)
        return
    verdicts = []
    for results in stored:
        verdict = verdict_of(framework, runner, results)
        verdicts.append(verdict)
        print(
            f"{verdict.standing:8} {verdict.gradient:10} {verdict.cases - verdict.without}/{verdict.cases}  "
            f"{verdict.category}  {verdict.operator}  {verdict.reason}",
            flush=True,
        )
    counts = Counter(verdict.standing for verdict in verdicts)
    gradients = sum(verdict.gradient == "gradient" for verdict in verdicts)
    print(
        f"{len(verdicts)} operators = {', '.join(f'{n} {what}' for what, n in counts.items())}; {gradients} gradients"
    )


def verdict_of(framework: str, runner: Runner, results: OperatorResults) -> Verdict:
    """How an operator stands in a framework: the first difference of its cases, or why it has no implementation."""
    operator, category = results.operator, results.category
    usable = [expected for expected in results.expected if not expected.error]
    if not usable:
        return Verdict(
            operator.name, category, "none", f"MXNet: {results.expected[0].error if results.expected else '-'}"
        )
    reasons: list[str] = []
    used: dict[str, Implementation] = {}
    for expected in usable:
        chosen = implementation(framework, operator, expected.case)
        if isinstance(chosen, str):
            reasons.append(chosen)
            continue
        difference = difference_of(runner, chosen, operator, expected)
        if difference:
            reason = f"{expected.case.id} {expected.case.profile}: {difference} [{chosen.expression}]"
            return Verdict(operator.name, category, "differs", reason, _gradient(usable, [chosen]), len(usable))
        used[chosen.expression] = chosen
    if not used:
        return Verdict(operator.name, category, "none", reasons[0], _gradient(usable, ()), len(usable), len(usable))
    origin = next(iter(used.values())).origin
    text = reasons[0] if reasons else ""
    gradient = _gradient(usable, used.values())
    return Verdict(operator.name, category, origin, text, gradient, len(usable), len(reasons))


def _gradient(expected: Sequence[Expected], used: Iterable[Implementation]) -> str:
    if not any(item.gradients for item in expected):
        return "-"
    return "gradient" if used and all(it.differentiable for it in used) else "missing"


def difference_of(runner: Runner, chosen: Implementation, operator: Operator, expected: Expected) -> str:
    """The first difference of results or gradients, or the framework's error; empty if there is none."""
    case = expected.case
    inputs = contents(case)
    updated = updated_names(chosen, list(inputs))
    wanted = [*expected.outputs, *(expected.updated.get(name, inputs.get(name)) for name in updated)]
    states = {tensor.name for tensor in operator.tensors if tensor.kind is TensorKind.AUXILIARY} | set(chosen.constant)
    gradients = tuple(name for name in expected.gradients if name not in states) if chosen.differentiable else ()
    heads = head_gradients(case, expected.outputs) if gradients else []
    try:
        with warnings.catch_warnings():
            # Functions that are deprecated, or warn of another meaning, are left out.
            warnings.simplefilter("error")
            results, found = runner.run(chosen, inputs, arguments(operator, case), gradients, heads)
    except Exception as error:  # noqa: BLE001 - whatever an expression raises, it doesn't hold
        return f"{type(error).__name__}: {str(error)[:160]}".replace("\n", " ")
    # AdamW writes the clipped gradient over the gradient.
    changed = {name for name in expected.updated if "adamw" not in operator.name or name in updated}
    forgotten = changed - set(updated) if case.in_place else set()
    if forgotten:
        return f"it doesn't update {', '.join(sorted(forgotten))}"
    values = arguments(operator, case)
    both = (
        [as_compared(chosen, it, inputs, values) for it in (wanted, results)]
        if not chosen.random
        else [wanted, results]
    )
    difference = compare_results(
        *both, sources=list(inputs.values()), random=chosen.random, cast=chosen.cast, precision=chosen.precision
    )
    names = [f"{GRADIENT}{name}" for name in gradients]
    order = list(gradients)
    return difference or compare_results(
        [expected.gradients[name] for name in order],
        [found[name] for name in order] if found else [],
        names,
        heads,
        precision=chosen.precision,
    )


def find_all(framework: str, runner: Runner, stored: Iterable[OperatorResults]) -> None:
    """Adds the proposals that hold to the framework's data file."""
    known = dict(found_by_name(framework))
    for results in stored:
        known.pop(results.operator.name, None)
        begin = time.monotonic()
        held = first_held(framework, runner, results)
        if held:
            known[held.operator] = held
            print(f"{held.operator}: {held.expression} {'cast' if held.cast else ''}", flush=True)
        if time.monotonic() - begin > 5:
            print(f"{results.operator.name} took {time.monotonic() - begin:.0f} s", file=sys.stderr)
        FOUND.mkdir(exist_ok=True)
    lines = [msgspec.json.encode(known[name]).decode() for name in sorted(known)]
    (FOUND / f"{framework}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(known)} found")


def first_held(framework: str, runner: Runner, results: OperatorResults) -> Implementation | None:
    """The first proposal that holds over all cases, with its gradient or, if none does so, without."""
    usable = [expected for expected in results.expected if not expected.error and _plain(expected)]
    if not usable:
        return None
    parameters = dict.fromkeys(
        name
        for expected in usable
        for name in arguments(results.operator, expected.case)
        if name not in ("training", "outputs")
    )
    fallback = None
    whole = whole_inputs(usable)
    for proposal in proposals(framework, results.operator, parameters):
        for candidate in _variants(proposal, whole):
            difference = first_difference(runner, candidate, results.operator, usable)
            if ": dtype " in difference:
                candidate = _cast(candidate)
                difference = first_difference(runner, candidate, results.operator, usable)
            if not difference:
                return candidate
            if fallback is None and GRADIENT in difference:
                forward = msgspec.structs.replace(candidate, differentiable=False)
                fallback = None if first_difference(runner, forward, results.operator, usable) else forward
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


def _cast(candidate: Implementation) -> Implementation:
    """The candidate whose results may have another dtype, which have no gradient."""
    note = "; ".join(filter(None, (candidate.note, CAST)))
    return msgspec.structs.replace(candidate, cast=True, note=note, differentiable=False)


def first_difference(runner: Runner, proposal: Implementation, operator: Operator, usable: Sequence[Expected]) -> str:
    """The first difference from MXNet's results in any case; empty if the proposal holds."""
    return next(filter(None, (difference_of(runner, proposal, operator, expected) for expected in usable)), "")


if __name__ == "__main__":
    main(sys.argv[1:])
