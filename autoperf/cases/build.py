"""The cases of one operator: canonical ones, then drawn ones, each accepted by MXNet's own inference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from autoperf.cases.resolution import members, request, resolve
from autoperf.core.case import Case, check_case
from autoperf.core.errors import CaseFileError, UnknownNameError, UsageError, UserRuleError
from autoperf.core.limits import MAX_BYTES, MAX_ELEMENTS, MAX_SAMPLES, MIN_ELEMENTS
from autoperf.core.operator import Operator
from autoperf.core.tensors import DTYPES
from autoperf.registry.calls import Completion, InferenceCall
from autoperf.rules.rule import CANONICAL, DRAWN, Inputs, InputSpec, Rule
from autoperf.strategies import DEFAULT_ELEMENTS

MAX_DRAWS = 256
BARREN_DRAWS = 24


class Completer(Protocol):
    """MXNet's inference as a service."""

    def complete(self, requests: Sequence[InferenceCall]) -> list[Completion]:
        """One completion for each request, in order."""


@dataclass(frozen=True)
class Recipe:
    """What cases to make: the seed and number of drawn ones, and limits.

    `profiles` keeps only these; None keeps all. `dtype` None means the operator's natural one; where a rule has inputs
    of one dtype only, another is rejected.
    """

    seed: int = 0
    samples: int = 2
    profiles: frozenset[str] | None = None
    dtype: str | None = None
    elements: int = DEFAULT_ELEMENTS
    max_bytes: int = 2**31

    def __post_init__(self) -> None:
        """Raises UsageError for a number that makes no sense, UnknownNameError for a dtype that there isn't."""
        if not 0 <= self.samples <= MAX_SAMPLES:
            raise UsageError(f"the samples must be from 0 to {MAX_SAMPLES:,}, not {self.samples}")
        if not MIN_ELEMENTS <= self.elements <= MAX_ELEMENTS:
            raise UsageError(f"the elements must be from {MIN_ELEMENTS} to {MAX_ELEMENTS:,}, not {self.elements}")
        if not 1 <= self.max_bytes <= MAX_BYTES:
            raise UsageError(f"max_bytes must be from 1 to 2**60, not {self.max_bytes}")
        if self.dtype is not None and self.dtype not in DTYPES:
            raise UnknownNameError("dtype", self.dtype, DTYPES)

    def wants(self, profile: str) -> bool:
        """Whether cases of this profile are asked for."""
        return self.profiles is None or profile in self.profiles


@dataclass(frozen=True)
class Rejection:
    """Inputs that could not become a case, with MXNet's words or ours; `failed` where a user's own rule is at fault."""

    operator: str
    profile: str
    reason: str
    failed: bool = False


@dataclass
class Built:
    """Cases in order, without repeats, and what was rejected; `short` says how many draws are missing."""

    cases: list[Case] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    short: int = 0

    def reasons(self) -> Counter[str]:
        """How often each reason of rejection was given."""
        return Counter(rejection.reason for rejection in self.rejections)


def build(operator: Operator, rule: Rule, recipe: Recipe, completer: Completer) -> Built:
    """The operator's canonical and drawn cases; the first n draws are the same whatever number is asked for.

    A rule of a user's that fails gives rejections: one for all of its canonical inputs, one for its draws.
    """
    spec = InputSpec(operator, recipe.dtype or rule.dtype, recipe.elements)
    builder = _Builder(spec, rule, recipe, completer)
    canonical = builder.canonical()
    if rule.dtypes and spec.dtype not in rule.dtypes:
        return builder.refuse(
            (profile for profile in canonical if recipe.wants(profile)),
            f"MXNet doesn't check this dtype, and may crash or corrupt memory over any but {', '.join(rule.dtypes)}",
        )
    builder.add((profile, call) for profile, call in canonical.items() if recipe.wants(profile))
    if recipe.samples and recipe.wants(DRAWN):
        builder.draw()
    return builder.built


def types_of(case: Case) -> tuple[str, ...]:
    """The dtypes of the inputs, then those of the outputs."""
    return (*(item.tensor.dtype for item in case.inputs), *(output.dtype for output in case.outputs))


def speaks_of(case: Case, dtype: str) -> bool:
    """Whether a tensor of the case has this dtype, or a parameter names it; one without known types may have any."""
    types = types_of(case)
    return not types or dtype in types or dtype in case.params.values()


class _Builder:
    """Collects the cases of one operator."""

    def __init__(self, spec: InputSpec, rule: Rule, recipe: Recipe, completer: Completer) -> None:
        self.spec, self.rule, self.recipe, self.completer = spec, rule, recipe, completer
        self.built = Built()
        self._seen: set[str] = set()

    def canonical(self) -> Mapping[str, Inputs]:
        """The rule's canonical inputs; none where a user's own rule fails."""
        try:
            return self.rule.canonical(self.spec)
        except UserRuleError as error:
            self._reject(CANONICAL, str(error), failed=True)
            return {}

    def refuse(self, profiles: Iterable[str], reason: str) -> Built:
        """Nothing but rejections: one for each profile, and every draw is missing."""
        for profile in profiles:
            self._reject(profile, reason)
        if self.recipe.samples and self.recipe.wants(DRAWN):
            self._reject(DRAWN, reason)
            self.built.short = self.recipe.samples
        return self.built

    def add(self, calls: Iterable[tuple[str, Inputs]]) -> int:
        """Settle the calls that inference accepts; how many were new."""
        listed = list(calls)
        completions = self._complete([request(call, self.spec) for _, call in listed])
        return sum(self._accept(*call, completion) for call, completion in zip(listed, completions, strict=True))

    def _complete(self, calls: list[InferenceCall]) -> list[Completion]:
        if self.rule.inferable:
            return self.completer.complete(calls)
        return [Completion(inputs=tuple(call.inputs.items()), dynamic=True) for call in calls]

    def draw(self) -> None:
        """Draw as many as are missing, again and again, until there are enough cases or nothing new comes."""
        seed = f"{self.recipe.seed}/{self.spec.name}/{self.spec.dtype}"
        missing, start, barren = self.recipe.samples, 0, 0
        while missing and start < MAX_DRAWS and barren < BARREN_DRAWS:
            try:
                calls = self.rule.drawn(self.spec, seed, missing, start)
            except UserRuleError as error:
                self._reject(DRAWN, str(error), failed=True)
                break
            added = self.add((DRAWN, call) for call in calls)
            start, barren = start + missing, 0 if added else barren + missing
            missing -= added
        self.built.short = missing

    def _accept(self, profile: str, call: Inputs, completion: Completion) -> bool:
        if completion.error:
            return self._reject(profile, completion.error)
        unknown = set(completion.unknown) - set(members(call))
        if unknown:
            return self._reject(profile, f"MXNet can't deduce the shape of {', '.join(sorted(unknown))}")
        case = resolve(call, self.spec, self.rule, profile, completion)
        problem = self._problem(case)
        if problem:
            return self._reject(profile, problem)
        if case.digest in self._seen:
            return False
        self._seen.add(case.digest)
        self.built.cases.append(case)
        return True

    def _problem(self, case: Case) -> str:
        """Why this isn't a case that was asked for, or none that could be rendered and run; empty if it is."""
        try:
            check_case(case)
        except CaseFileError as error:
            return str(error)
        if self.recipe.dtype and not speaks_of(case, self.recipe.dtype):
            types = ", ".join(dict.fromkeys(types_of(case)))
            return f"no tensor of it is {self.recipe.dtype}; they are {types}"
        size = case.input_bytes + case.output_bytes
        if size > self.recipe.max_bytes:
            return f"inputs and outputs take {size:,} bytes, above {self.recipe.max_bytes:,}"
        return ""

    def _reject(self, profile: str, reason: str, *, failed: bool = False) -> bool:
        self.built.rejections.append(Rejection(self.spec.name, profile, reason, failed))
        return False
