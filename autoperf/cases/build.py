"""Builds the cases of one operator: canonical, then drawn ones, each accepted by the framework's inference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import msgspec

from autoperf.core.case import NON_ARGUMENTS, Case, Input, check_case
from autoperf.core.errors import CaseFileError, EngineError, UsageError, UserRuleError
from autoperf.core.graph import profile_names
from autoperf.core.operator import Operator, Value
from autoperf.core.options import DEFAULT_DRAWS, DEFAULT_ELEMENTS, MAX_BYTES, RECIPE, check_fields
from autoperf.core.tensors import AnyContent, ArrayType, Patterned, TensorSpec, default_content, distinct_dtypes
from autoperf.registry.calls import Completion, InferenceCall
from autoperf.registry.client import RegistryClient
from autoperf.rules.rule import CANONICAL, DRAWN, Draft, Inputs, InputSpec, Rule, in_each_mode


def flat_tensors(call: Inputs) -> dict[str, Draft]:
    """The call's tensors by name; members of a list are `name[0]`, `name[1]`, ..."""
    return {
        f"{name}[{index}]" if isinstance(given, tuple) else name: draft
        for name, given in call.tensors.items()
        for index, draft in enumerate(given if isinstance(given, tuple) else (given,))
    }


def with_drafts(call: Inputs, change: Callable[[str, Draft], Draft]) -> Inputs:
    """The call with `change` applied to every tensor, by its name; members of a list are `name[0]`, `name[1]`, ..."""
    tensors: dict[str, Draft | tuple[Draft, ...]] = {
        name: tuple(change(f"{name}[{index}]", member) for index, member in enumerate(given))
        if isinstance(given, tuple)
        else change(name, given)
        for name, given in call.tensors.items()
    }
    return replace(call, tensors=tensors)


def parameters(call: Inputs, spec: InputSpec) -> dict[str, Value]:
    """The call's parameters, with the number of a list's tensors if the operator counts them."""
    params = dict(call.params)
    count = spec.operator.variadic_count
    if count and count not in params and spec.operator.variadic:
        params[count] = sum("[" in name for name in flat_tensors(call))
    return params


def inference_call(call: Inputs, spec: InputSpec) -> InferenceCall:
    """The call with its known inputs, for inference."""
    known = {
        name: ArrayType(draft.shape, draft.dtype or spec.dtype)
        for name, draft in flat_tensors(call).items()
        if name not in NON_ARGUMENTS
    }
    return InferenceCall(spec.name, known, parameters(call, spec), graphs=dict(call.graphs), way=call.way)


def resolve(call: Inputs, spec: InputSpec, rule: Rule, profile: str, completion: Completion) -> Case:
    """The case of an accepted call, with stated contents. Raises EngineError; UserRuleError by a user's rule."""
    drafts, types = flat_tensors(call), dict(completion.inputs)
    non_arguments = {name: draft for name, draft in drafts.items() if name in NON_ARGUMENTS}
    types |= {name: ArrayType(draft.shape, draft.dtype or spec.dtype) for name, draft in non_arguments.items()}
    case = Case(
        operator=spec.name,
        category=rule.category,
        profile=profile,
        inputs=tuple(Input(name, _spec(kind, drafts.get(name))) for name, kind in types.items()),
        params=dict(sorted(parameters(call, spec).items())),
        outputs=completion.outputs,
        in_place=call.in_place,
        training=call.training,
        graphs=dict(call.graphs),
        way=call.way,
    )
    stated = stated_contents(case, rule)

    def filled(item: Input) -> Input:
        # Tensors without a content of their own hold the stated one, or a pattern of it.
        draft, content = drafts.get(item.name), stated.get(item.name)
        own = draft.content if draft else None
        if content is None or (own and draft and not draft.by_rule):
            return item
        if isinstance(own, Patterned) and not isinstance(content, Patterned):
            content = msgspec.structs.replace(own, content=content)
        return Input(item.name, msgspec.structs.replace(item.tensor, content=content))

    return msgspec.structs.replace(case, inputs=tuple(map(filled, case.inputs)))


def _spec(kind: ArrayType, draft: Draft | None) -> TensorSpec:
    draft = draft or Draft(kind.shape)
    content = draft.content or default_content(kind.dtype)
    return TensorSpec(draft.shape, draft.dtype or kind.dtype, content, draft.storage, draft.density)


def stated_contents(case: Case, rule: Rule) -> dict[str, AnyContent]:
    """The contents that the rule states for a case, by tensor; tensors without a statement are left out."""
    stated = rule.contents_of(case)
    found = {item.name: stated.get(item.name) or stated.get(stem_of(item.name)) for item in case.inputs}
    return {name: content for name, content in found.items() if content}


def stem_of(name: str) -> str:
    """The name of the list to which a tensor belongs, or its own."""
    return name.partition("[")[0]


MAX_ATTEMPTS = 256
MAX_UNPRODUCTIVE_DRAWS = 24


def completed(calls: list[InferenceCall], rule: Rule, completer: RegistryClient) -> list[Completion]:
    """The completions of calls; those of a rule that MXNet can't infer have the inputs of the call."""
    if rule.inferable:
        return completer.complete(calls)
    return [Completion(inputs=tuple(call.inputs.items()), dynamic=True) for call in calls]


def unchecked(misfit: str, title: str) -> str:
    """Why tensors that a framework of this title accepts aren't run."""
    return f"{misfit}; {title}'s inference doesn't check it, and kernels may crash, corrupt memory or compute nonsense"


@dataclass(frozen=True)
class Recipe:
    """The choice of cases to build: the seed and number of drawn ones, and limits.

    `profiles` selects profiles; None selects all. Without `dtypes`, cases have the rule's dtype; with several, each is
    built in all of them. Cases without a tensor of the dtype are rejected. With `int64_tensor` each operator has one
    case, with a tensor of more than 2**32 elements (`large_tensors`).
    """

    seed: int = 0
    draws: int = DEFAULT_DRAWS
    profiles: frozenset[str] | None = None
    dtypes: tuple[str, ...] = ()
    elements: int = DEFAULT_ELEMENTS
    max_bytes: int = 2**31
    int64_tensor: bool = False

    def __post_init__(self) -> None:
        """Raises UsageError for a number out of range or a repeated dtype, UnknownNameError for an unknown one."""
        check_fields(RECIPE, self)
        if not 1 <= self.max_bytes <= MAX_BYTES:
            raise UsageError(f"invalid max_bytes {self.max_bytes}: expected 1 to 2**60")
        distinct_dtypes(self.dtypes)

    def includes(self, profile: str) -> bool:
        """Whether cases of this profile are selected; a composite's in one mode also by the input's profile."""
        return self.profiles is None or not self.profiles.isdisjoint(profile_names(profile))

    def modes(self, profile: str, call: Inputs) -> dict[str, Inputs]:
        """The call in each mode that is selected, by profile."""
        return {name: mode for name, mode in in_each_mode(profile, call).items() if self.includes(name)}

    def drawn_modes(self, canonical: Mapping[str, Inputs]) -> list[str]:
        """The selected profiles of drawn inputs, of an operator with these canonical ones; none without draws."""
        names = dict.fromkeys(name for call in canonical.values() for name in in_each_mode(DRAWN, call)) or (DRAWN,)
        return [name for name in names if self.draws and self.includes(name)]


@dataclass(frozen=True)
class Rejection:
    """Inputs rejected for MXNet's or autoperf's reason, or for their `dtype`; `failed` if a user's rule failed."""

    operator: str
    profile: str
    reason: str
    failed: bool = False
    dtype: str = ""


@dataclass
class BuildResult:
    """Unique cases in order, rejections, the number of missing draws, and of draws that gave no inputs."""

    cases: list[Case] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    missing_draws: int = 0
    empty_draws: int = 0

    def joined(self, other: BuildResult) -> BuildResult:
        """Both results; a case of both is counted once."""
        seen = {case.digest for case in self.cases}
        return BuildResult(
            [*self.cases, *(case for case in other.cases if case.digest not in seen)],
            [*self.rejections, *other.rejections],
            self.missing_draws + other.missing_draws,
            self.empty_draws + other.empty_draws,
        )

    def reasons(self) -> Counter[str]:
        """The number of rejections by reason."""
        return Counter(rejection.reason for rejection in self.rejections)


def build(operator: Operator, rule: Rule, recipe: Recipe, completer: RegistryClient) -> BuildResult:
    """The operator's canonical and drawn cases; the first n draws don't depend on how many there are.

    A user's rule that fails gives one rejection for its canonical inputs, and one for its draws.
    """
    result = BuildResult()
    for dtype in recipe.dtypes or (rule.dtype,):
        builder = CaseBuilder(InputSpec(operator, dtype, recipe.elements), rule, recipe, completer)
        canonical = builder.canonical()
        chosen = {profile: call for profile, call in canonical.items() if recipe.modes(profile, call)}
        draws = [DRAWN] if recipe.drawn_modes(canonical) else []
        if rule.dtypes and dtype not in rule.dtypes:
            taken = ", ".join(rule.dtypes)
            reason = f"{completer.title} doesn't check this dtype, and may crash or corrupt memory over any but {taken}"
            builder.refuse((*chosen, *draws), reason, of_dtype=True)
        else:
            builder.add(chosen.items())
            if draws:
                builder.draw()
        result = result.joined(builder.result)
    return result


def dtypes_of(case: Case) -> tuple[str, ...]:
    """The dtypes of the inputs, then of the outputs."""
    return (*(item.tensor.dtype for item in case.inputs), *(output.dtype for output in case.outputs))


def has_dtype(case: Case, dtype: str) -> bool:
    """Whether a tensor or a parameter of the case has this dtype; True if the tensors' dtypes are unknown."""
    types = dtypes_of(case)
    return not types or dtype in types or dtype in case.params.values()


def in_dtype(case: Case, was: str, now: str) -> Case:
    """The case with tensors and parameters of dtype `was` changed to `now`, without outputs."""
    inputs = tuple(
        Input(item.name, msgspec.structs.replace(item.tensor, dtype=now)) if item.tensor.dtype == was else item
        for item in case.inputs
    )
    params = {name: now if value == was else value for name, value in case.params.items()}
    return msgspec.structs.replace(case, inputs=inputs, params=params, outputs=())


class CaseBuilder:
    """Collects the cases of one operator."""

    def __init__(self, spec: InputSpec, rule: Rule, recipe: Recipe, completer: RegistryClient) -> None:
        self.spec, self.rule, self.recipe, self.completer = spec, rule, recipe, completer
        self.result = BuildResult()
        self._seen: set[str] = set()

    def canonical(self) -> Mapping[str, Inputs]:
        """The rule's canonical inputs; none if a user's rule fails."""
        try:
            return self.rule.canonical(self.spec)
        except UserRuleError as error:
            self._reject(CANONICAL, str(error), failed=True)
            return {}

    def refuse(self, profiles: Iterable[str], reason: str, *, of_dtype: bool) -> None:
        """Rejects every profile, `drawn` for all draws; `of_dtype` says whether that is for their dtype."""
        for profile in profiles:
            self._reject(profile, reason, of_dtype=of_dtype)
            if profile == DRAWN:
                self.result.missing_draws = self.recipe.draws

    def add(self, calls: Iterable[tuple[str, Inputs]]) -> int:
        """Adds a case for each selected mode of calls that inference accepts; returns how many calls gave new ones."""
        items = list(calls)
        completions = completed([inference_call(call, self.spec) for _, call in items], self.rule, self.completer)
        return sum(self._accept(*call, completion) for call, completion in zip(items, completions, strict=True))

    def draw(self) -> None:
        """Draws cases until there are enough, or no new ones."""
        seed = f"{self.recipe.seed}/{self.spec.name}/{self.spec.dtype}"
        missing, start, unproductive = self.recipe.draws, 0, 0
        while missing and start < MAX_ATTEMPTS and unproductive < MAX_UNPRODUCTIVE_DRAWS:
            try:
                calls = self.rule.drawn(self.spec, seed, missing, start)
            except UserRuleError as error:
                self._reject(DRAWN, str(error), failed=True)
                break
            self.result.empty_draws += missing - len(calls)
            added = self.add((DRAWN, call) for call in calls)
            start, unproductive = start + missing, 0 if added else unproductive + missing
            missing -= added
        self.result.missing_draws = missing

    def _accept(self, profile: str, call: Inputs, completion: Completion) -> bool:
        modes = self.recipe.modes(profile, call)
        refused = _refusal(call, completion, self.completer.title)
        failed, cases = bool(completion.error and call.places), []
        try:
            if not refused:
                cases = [resolve(it, self.spec, self.rule, name, completion) for name, it in modes.items()]
        except (EngineError, UserRuleError) as error:
            refused, failed = str(error), isinstance(error, UserRuleError)
        refused = refused or next(filter(None, map(self._other_dtypes, cases)), "")
        problem = refused or next(filter(None, map(self._problem, cases)), "")
        for name in (modes if profile != DRAWN else [DRAWN]) if problem else ():
            self._reject(name, problem, failed=failed, of_dtype=bool(refused) and not failed)
        new = [case for case in cases if not problem and case.digest not in self._seen]
        self._seen.update(case.digest for case in new)
        self.result.cases += new
        return bool(new)

    def _problem(self, case: Case) -> str:
        """Why the case is invalid or not selected; empty if it is accepted."""
        try:
            check_case(case)
        except CaseFileError as error:
            return str(error)
        if misfit := self.rule.misfit(case):
            return unchecked(misfit, self.completer.title)
        size, most = case.input_bytes + case.output_bytes, self.recipe.max_bytes
        return f"inputs and outputs take {size:,} bytes, above {most:,}" if size > most else ""

    def _other_dtypes(self, case: Case) -> str:
        if not self.recipe.dtypes or has_dtype(case, self.spec.dtype):
            return ""
        return f"no tensor of it is {self.spec.dtype}; they are {', '.join(dict.fromkeys(dtypes_of(case)))}"

    def _reject(self, profile: str, reason: str, *, failed: bool = False, of_dtype: bool = False) -> None:
        # In its own dtype the rule's inputs are valid: there the dtype isn't what is refused.
        dtype = self.spec.dtype if of_dtype and self.spec.dtype != self.rule.dtype else ""
        self.result.rejections.append(Rejection(self.spec.name, profile, reason, failed, dtype))


def _refusal(call: Inputs, completion: Completion, title: str) -> str:
    """Why inference doesn't accept a call; an error at a node of a user's graph has its operator and its place."""
    unknown = set(completion.unknown) - set(flat_tensors(call))
    if unknown and not completion.error:
        return f"{title} can't deduce the shape of {', '.join(sorted(unknown))}"
    place = call.places.get(completion.node)
    if place is None:
        return completion.error
    operators = {node.name: node.operator for graph in call.graphs.values() for node in graph.nodes}
    operator = operators.get(completion.node, completion.node)
    return f"{place}: {completion.error if repr(operator) in completion.error else f'{operator}: {completion.error}'}"
