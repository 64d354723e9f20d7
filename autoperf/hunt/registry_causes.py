"""The causes that several operators share, and the cost of each finding, computed from the findings of a hunt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import exp, log, prod
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from autoperf.core.case import Case
from autoperf.core.finding import CauseRanking, CommonTime, Finding, FindingCode, RegistryCause
from autoperf.core.operator import Value, is_axis
from autoperf.core.outcome import PASSES, Outcome, PassName
from autoperf.core.tensors import Shape
from autoperf.core.work import work_of
from autoperf.reports.layout import grouped
from autoperf.rules.categories import SHORT_ROW

if TYPE_CHECKING:
    from autoperf.hunt.timings import Times

MIN_OPERATORS = 2
# Share of an operator's calls that are assumed to have a property that its common calls lack.
UNCOMMON_SHARE = 0.1
COMMON_DTYPE = "float32"
NARROW_DTYPES = ("int8", "uint8")
# Names of tensors that an operator broadcasts, and categories of operators on matrices and on each element.
OPERANDS = frozenset({"lhs", "rhs", "condition", "x", "y"})
MATRICES = frozenset({"linalg", "gemm", "attention"})
ELEMENTWISE = frozenset({
    "unary", "elementwise", "broadcast", "scalar", "comparison", "logical", "bitwise", "rounding", "trigonometric",
    "exponential", "power",
})  # fmt: skip

Findings: TypeAlias = Mapping[str, Finding]
"""Findings by their references."""
Test: TypeAlias = Callable[[Case], bool]
_TEMPLATE = re.compile(r"<.*", re.DOTALL)
# The wrapper of all kernels of MXNet's: what it runs is its first argument.
_WRAPPER = re.compile(r"Kernel<(\w+)")


@dataclass(frozen=True)
class Trait:
    """A property of a finding's slow input that explains its time; `words` name it for all operators that share it.

    `holds` tests whether another call of the operator has it, and it is `common` if ordinary calls have it. If it is
    `wider`, calls with it may be fast: the inputs differ in more. `other` is the faster dtype, for words that end with
    it. Without words, no other operator shares it.
    """

    words: str
    holds: Test
    common: bool = False
    other: str = ""
    wider: bool = False


def ranking(findings: Findings, weights: Iterable[Case] | None = None) -> CauseRanking:
    """The findings by cost, joined where several operators share a trait.

    The cost is the time that `weights`, calls with counts, lose. Without them it is the share of the time of an
    operator's common calls; one in ten is assumed to have a trait that none of them has.
    """
    traits = {reference: trait_of(finding) for reference, finding in findings.items()}
    lost = {} if weights is None else _lost_ms(findings, traits, weights)
    summed = {reference: sum(networks.values()) for reference, networks in lost.items()}
    shares = {reference: _share(finding, traits[reference]) for reference, finding in findings.items()}
    costs = shares if weights is None else summed
    ranked = sorted(findings, key=lambda reference: (-costs[reference], findings[reference].operator, reference))
    groups = grouped(ranked, lambda reference: traits[reference].words)
    operators = {words: {findings[reference].operator for reference in members} for words, members in groups.items()}
    joined = [members for words, members in groups.items() if words and len(operators[words]) >= MIN_OPERATORS]
    causes = [_cause(members, findings, traits, costs) for members in joined]
    shared = {reference for members in joined for reference in members}
    return CauseRanking(
        causes=tuple(sorted(causes, key=lambda cause: (-cause.cost, cause.words))),
        own=tuple(reference for reference in ranked if reference not in shared),
        costs=costs,
        weighted=weights is not None,
        networks={reference: networks for reference, networks in lost.items() if networks},
        assumed=tuple(sorted(reference for reference, finding in findings.items() if finding.common is None)),
    )


def _cause(
    members: Sequence[str], findings: Findings, traits: Mapping[str, Trait], costs: Mapping[str, float]
) -> RegistryCause:
    """The cause of these findings. An operator counts once, by its largest ratio and cost."""
    by_operator = grouped(members, lambda reference: findings[reference].operator)
    ratios = {name: max(findings[each].estimate.ratio for each in found) for name, found in by_operator.items()}
    others = Counter(traits[reference].other for reference in members)
    return RegistryCause(
        words=" ".join((traits[members[0]].words, " or ".join(name for name, _ in others.most_common(2)))).strip(),
        cost=sum(max(costs[each] for each in found) for found in by_operator.values()),
        ratio=exp(fmean(map(log, ratios.values()))),
        ratios=dict(sorted(ratios.items(), key=lambda item: (-item[1], item[0]))),
        findings=tuple(members),
        kernels=tuple(sorted(set.intersection(*(set(findings[each].kernels) for each in members)))),
    )


def trait_of(finding: Finding) -> Trait:
    """The first trait that both inputs of a finding show, else its code, or the kernel that takes most of the time."""
    traits = _between_sides(finding) if finding.sides else _against_neighbour(finding)
    code = shared_code(finding.code) if finding.code else ""
    kernel = max(finding.kernels, key=lambda name: finding.kernels[name], default="")
    words = f"the code of {code}" if code else f"calls of the kernel {kernel}" if kernel else ""
    return next(traits, Trait(words, _of_dtype(_dtype_of(finding.case)), wider=True))


def common_time(finding: Finding, calls: Iterable[tuple[Case, Times]]) -> CommonTime | None:
    """The time of these common calls of the finding's operator; None if none of them has its pass."""
    trait = trait_of(finding)
    timed = [(case, times.total, us) for case, times in calls if (us := times.of(finding.pass_))]
    if not timed:
        return None
    with_trait = () if trait.wider else (us for case, _, us in timed if trait.holds(case))
    return CommonTime(sum(total for _, total, _ in timed), sum(us for *_, us in timed), sum(with_trait))


def _against_neighbour(finding: Finding) -> Iterator[Trait]:
    """The traits that the slow input has and its fast neighbour lacks."""
    slow, fast = finding.case, finding.contrast
    if fast.operator != slow.operator:
        dtype, reason = _dtype_of(slow), finding.step.partition(": ")[2]
        yield Trait(f"an equivalent operator is faster: {reason}", _of_dtype(dtype), dtype == COMMON_DTYPE)
        return
    pairs = [(one.tensor.dtype, two.tensor.dtype) for one, two in zip(slow.inputs, fast.inputs, strict=False)]
    if named := slow.params.get("dtype"):
        pairs.append((str(named), str(fast.params.get("dtype") or COMMON_DTYPE)))
    dtype, other = next(((one, two) for one, two in pairs if one != two), ("", ""))
    if dtype:
        words = f"{_dtype_words(dtype)} {'are' if dtype in NARROW_DTYPES else 'is'} slower than"

        def holds(case: Case) -> bool:
            return dtype in (case.params.get("dtype"), *(item.tensor.dtype for item in case.inputs))

        yield Trait(words, holds, dtype == COMMON_DTYPE, other)
    if _shapes(slow) == _shapes(fast):
        yield from _parameter_trait(slow, fast)
    elif is_broadcast(slow):
        yield Trait(f"a dimension of one in broadcasting, {finding.pass_}", is_broadcast)
    axis_tests: tuple[tuple[Test, str], ...] = (
        (lambda case: bool(_axes(case)) and -1 not in _axes(case), "an axis that isn't the last"),
        (lambda case: -1 in _axes(case), "the last axis"),
    )
    for test, words in axis_tests:
        if _axes(fast) and test(slow) and not test(fast):
            yield Trait(words, test)
    if _row(slow) <= SHORT_ROW < _row(fast):
        yield Trait(f"a last dimension of at most {SHORT_ROW}", lambda case: _row(case) <= SHORT_ROW)


def is_elementwise(case: Case) -> bool:
    """Whether an operator computes each element from those at its place, unlike `all`; activations may be softmax."""
    largest = max((prod(item.tensor.shape) for item in case.arguments), default=0)
    is_reduced = any(prod(output.shape) < largest for output in case.outputs)
    return case.category in ELEMENTWISE and not is_reduced


def _between_sides(finding: Finding) -> Iterator[Trait]:
    """The traits of an input that is slow on one side; it was simplified, so its slowness needs them."""
    slow, dtype = finding.case, _dtype_of(finding.case)
    if is_broadcast(slow):
        yield Trait(f"a dimension of one in broadcasting, {finding.pass_}", is_broadcast)
    if slow.category in MATRICES and _has_thin_matrices(slow):
        yield Trait(f"many matrices with a dimension of one, {finding.pass_}", _has_thin_matrices)
    if dtype != COMMON_DTYPE:
        yield Trait(f"{_dtype_words(dtype)}, {finding.pass_}", _of_dtype(dtype))
        return
    words = f"functions of each element, {finding.pass_}" if is_elementwise(slow) else ""
    yield Trait(words, _of_dtype(dtype), common=True)


def _dtype_words(dtype: str) -> str:
    return " and ".join(NARROW_DTYPES) if dtype in NARROW_DTYPES else dtype


def _parameter_trait(slow: Case, fast: Case) -> Iterator[Trait]:
    """A parameter that the fast input lacks, or has with another value; a number stands for all numbers."""
    given = ((name, value) for name, value in slow.params.items() if not is_axis(name) and value is not None)
    name, value = next((pair for pair in given if pair[1] != fast.params.get(pair[0])), ("", None))

    def holds(case: Case) -> bool:
        own = case.params.get(name)
        return own == value if isinstance(value, bool | str) else own is not None

    if name:
        yield Trait(f"{name}={value}" if isinstance(value, bool | str) else f"{name} is given", holds)


def is_broadcast(case: Case | Outcome) -> bool:
    """Whether the operator broadcasts one of its operands, or its only input to a larger shape."""
    shapes: list[Value] = [*_shapes(case)]
    if case.category == "expanding":
        return "size" in case.params or _can_broadcast([*shapes, case.params.get("shape")])
    return {item.name for item in case.inputs} <= OPERANDS and _can_broadcast(shapes)


def _can_broadcast(shapes: Sequence[Value]) -> bool:
    """Whether these are different shapes that broadcast to one."""
    known = [shape for shape in shapes if isinstance(shape, tuple)]
    if len(known) < len(shapes) or len(set(known)) <= 1:
        return False
    rows = zip_longest(*(reversed(shape) for shape in known), fillvalue=1)
    return all(len(set(row) - {1}) <= 1 for row in rows)


def _axes(case: Case) -> tuple[int, ...]:
    """The axes that parameters select, counted from the end: -1 is the last."""
    ndim = max(map(len, _shapes(case)), default=0)
    values = [value for name, value in case.params.items() if is_axis(name)]
    listed = [axis for value in values for axis in (value if isinstance(value, tuple) else (value,))]
    return tuple(axis if axis < 0 else axis - ndim for axis in listed if type(axis) is int)


def _row(case: Case) -> int:
    return (max(_shapes(case), key=prod, default=()) or (1,))[-1]


def _has_thin_matrices(case: Case) -> bool:
    return all(len(shape) > 2 and 1 in shape[-2:] for shape in _shapes(case))


def _shapes(case: Case | Outcome) -> list[Shape]:
    return [item.tensor.shape for item in case.inputs]


def _dtype_of(case: Case) -> str:
    """The dtype of the first input; without inputs the one that a parameter names."""
    return case.inputs[0].tensor.dtype if case.inputs else str(case.params.get("dtype") or COMMON_DTYPE)


def _of_dtype(dtype: str) -> Test:
    return lambda case: _dtype_of(case) == dtype


def _share(finding: Finding, trait: Trait) -> float:
    """The share of the time of an operator's common calls that a finding loses, by the lower limit of its ratio."""
    time = finding.common or CommonTime(1.0, 1.0, float(trait.common))
    slower = max(1.0, finding.estimate.low)
    # Common calls with the trait lose it; without such calls, one call in ten has it and takes longer.
    if time.trait_us:
        return time.trait_us * (1 - 1 / slower) / time.total_us
    lost = UNCOMMON_SHARE * time.pass_us * (slower - 1)
    return lost / (time.total_us + lost)


def _lost_ms(findings: Findings, traits: Mapping[str, Trait], calls: Iterable[Case]) -> dict[str, dict[str, float]]:
    """The milliseconds that each network loses by each finding; a call counts for the one by which it loses most."""
    lost: dict[str, dict[str, float]] = {reference: {} for reference in findings}
    by_operator = grouped(findings, lambda reference: findings[reference].operator)
    for case in calls:
        explaining = [
            reference
            for reference in by_operator.get(case.operator, ())
            if _is_same_call(case, findings[reference].case)
            or (traits[reference].holds(case) and not traits[reference].wider)
        ]
        for pass_ in PASSES if case.has_backward else PASSES[:1]:
            losses = {reference: _loss_ms(findings[reference], pass_, case) for reference in explaining}
            if losses:
                most = max(losses, key=lambda reference: losses[reference])
                for name, count in (case.calls or {}).items():
                    lost[most][name] = lost[most].get(name, 0.0) + count * losses[most]
    return lost


def _is_same_call(case: Case, other: Case) -> bool:
    first, second = ([(item.name, item.tensor.type) for item in each.inputs] for each in (case, other))
    return first == second and case.params == other.params


def _loss_ms(finding: Finding, pass_: PassName, case: Case) -> float:
    """The milliseconds that one call of a case loses in a pass, in proportion to its elements."""
    us, other = 0.0, finding.other_pass
    if pass_ == finding.pass_:
        us = finding.actual_us - finding.expected_us
    elif other:
        us = other.actual_us * (1 - 1 / other.estimate.ratio)
    # Findings of older logs lack outputs; then inputs alone count.
    counted = case if finding.case.outputs else msgspec.structs.replace(case, outputs=())
    elements = work_of(finding.case).elements
    return max(us, 0.0) / 1000 * work_of(counted).elements / elements if elements else 0.0


def shared_code(code: FindingCode) -> str:
    """The template or function that spends most more, without its arguments: operators of the same code share it.

    Empty where instructions don't show the finding.
    """
    pair = next(iter(code.functions), None)
    if pair is None or pair.excess(code.work) <= 0:
        return ""
    name = pair.name.removeprefix("below ")
    wrapped = _WRAPPER.match(name)
    return wrapped[1] if wrapped else _TEMPLATE.sub("", name)
