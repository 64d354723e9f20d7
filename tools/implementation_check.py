"""Checks implementations in one framework by MXNet's results, in the interpreter that has the framework.

python tools/implementation_check.py FRAMEWORK FOLDER [--find] [OPERATOR...]

`tools/implementation_references.py` has written MXNet's results into the folder. Without --find, it prints how each
operator stands, and adds it to FRAMEWORK.verdicts beside the results. With --find, introspection proposes
implementations, and those that hold are added to the data file of the package.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

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
_UNNAMED = ("training", "outputs")


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
    words = [word for word in arguments if word != FIND]
    if len(words) < 2 or words[0] not in RUNNERS:
        sys.exit(__doc__)
    framework, folder, names = words[0], Path(words[1]), words[2:]
    runner, stored = RUNNERS[framework](), load_all(folder, names)
    if FIND in arguments:
        find_all(framework, runner, stored)
        return
    path = folder / f"{framework}.verdicts"
    verdicts = stored_verdicts(path)
    for results in stored:
        verdict = verdicts[results.operator.name] = verdict_of(framework, runner, results)
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


def verdict_of(framework: str, runner: Runner, results: OperatorResults) -> Verdict:
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
        difference = difference_of(runner, chosen, operator, expected)
        if difference:
            reason = f"{expected.case.id} {expected.case.profile}: {difference} [{chosen.expression}]"
            return Verdict(operator.name, category, "differs", reason, "-", len(usable), len(reasons))
    standing = next((it.origin for it in used.values()), "none")
    gradient = _gradient(usable, list(used.values()))
    return Verdict(operator.name, category, standing, "; ".join(reasons[:1]), gradient, len(usable), len(reasons))


def _gradient(expected: Sequence[Expected], used: Sequence[Implementation]) -> str:
    if not any(item.gradients for item in expected):
        return "-"
    return "gradient" if used and all(it.differentiable for it in used) else "missing"


def difference_of(runner: Runner, chosen: Implementation, operator: Operator, expected: Expected) -> str:
    """The first difference of results or gradients, or the framework's error; empty if there is none."""
    inputs, values = contents(expected.case), arguments(operator, expected.case)
    gradients = compared_gradients(chosen, operator, expected)
    heads = head_gradients(expected.case, expected.outputs) if gradients else []
    try:
        with warnings.catch_warnings():
            # Functions that are deprecated, or warn of another meaning, are left out.
            warnings.simplefilter("error")
            results, found = runner.run(chosen, inputs, values, gradients, heads)
    except Exception as error:  # noqa: BLE001 - whatever an expression raises, it doesn't hold
        return f"{type(error).__name__}: {str(error)[:160]}".replace("\n", " ")
    updated = updated_names(chosen, list(inputs))
    wanted: Sequence[Array] = [*expected.outputs, *(expected.updated.get(name, inputs[name]) for name in updated)]
    if not chosen.random:
        wanted, results = (as_compared(chosen, side, inputs, values) for side in (wanted, results))
    return (
        _forgotten(operator, expected, updated)
        or compare_results(
            wanted,
            results,
            sources=list(inputs.values()),
            random=chosen.random,
            cast=chosen.cast,
            precision=chosen.precision,
        )
        or compare_results(
            [expected.gradients[name] for name in gradients],
            [found[name] for name in gradients],
            [f"{GRADIENT}{name}" for name in gradients],
            heads,
            precision=chosen.precision,
        )
    )


def compared_gradients(chosen: Implementation, operator: Operator, expected: Expected) -> tuple[str, ...]:
    """The inputs whose gradients are compared: not auxiliary states, in whose gradients MXNet leaves other numbers."""
    states = {tensor.name for tensor in operator.tensors if tensor.kind is TensorKind.AUXILIARY}
    names = expected.gradients if chosen.differentiable else {}
    return tuple(name for name in names if name not in states | set(chosen.constant))


def _forgotten(operator: Operator, expected: Expected, updated: Sequence[str]) -> str:
    """Which inputs MXNet alone changes; AdamW writes the clipped gradient over the gradient."""
    names = set(expected.updated) - set(updated)
    if not names or not expected.case.in_place or "adamw" in operator.name:
        return ""
    return f"it doesn't update {', '.join(sorted(names))}"


def find_all(framework: str, runner: Runner, stored: Iterable[OperatorResults]) -> None:
    """Adds the proposals that hold to the framework's data file."""
    known = dict(found_by_name(framework))
    for results in stored:
        known.pop(results.operator.name, None)
        held = first_held(framework, runner, results)
        if held:
            known[held.operator] = held
            _say(f"{held.operator}: {held.expression} {held.note}")
    lines = [msgspec.json.encode(known[name]).decode() for name in sorted(known)]
    (FOUND / f"{framework}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    _say(f"{len(known)} found")


def first_held(framework: str, runner: Runner, results: OperatorResults) -> Implementation | None:
    """The first proposal that holds over all cases, with its gradient or, if none does so, without."""
    usable = [expected for expected in results.expected if not expected.error and _plain(expected)]
    if not usable:
        return None
    given = (arguments(results.operator, expected.case) for expected in usable)
    parameters = dict.fromkeys(name for values in given for name in values if name not in _UNNAMED)
    fallback = None
    whole = whole_inputs(usable)
    for proposal in proposals(framework, results.operator, parameters):
        for candidate in _variants(proposal, whole):
            held, difference = _tried(runner, candidate, results.operator, usable)
            if not difference:
                return held
            if fallback is None and GRADIENT in difference:
                forward = msgspec.structs.replace(held, differentiable=False)
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


def _tried(
    runner: Runner, candidate: Implementation, operator: Operator, usable: Sequence[Expected]
) -> tuple[Implementation, str]:
    """The candidate and its first difference; results of another dtype are cast, and have no gradient."""
    difference = first_difference(runner, candidate, operator, usable)
    if ": dtype " not in difference:
        return candidate, difference
    note = "; ".join(filter(None, (candidate.note, CAST)))
    cast = msgspec.structs.replace(candidate, cast=True, note=note, differentiable=False)
    return cast, first_difference(runner, cast, operator, usable)


def first_difference(runner: Runner, proposal: Implementation, operator: Operator, usable: Sequence[Expected]) -> str:
    """The first difference from MXNet's results in any case; empty if the proposal holds."""
    return next(filter(None, (difference_of(runner, proposal, operator, expected) for expected in usable)), "")


if __name__ == "__main__":
    main(sys.argv[1:])
