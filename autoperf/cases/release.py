"""An open release of a framework: its registry, its inference, its rules, and which operators have a gradient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.backends.lookup import MXNET, FrameworkChoice, backend_of
from autoperf.backends.protocol import Backend
from autoperf.cases.build import inference_call
from autoperf.cases.deduction import Subject
from autoperf.cases.selection import Target, target_of
from autoperf.core.case import Case
from autoperf.core.errors import UnknownNameError, UsageError, UserRuleError
from autoperf.core.graph import LAYERS, LayerPlace
from autoperf.core.operator import COMPOSITE_NAMESPACE, FRONT_END_NAMESPACE, Operator, Registry
from autoperf.implementations.expressions import check_names
from autoperf.implementations.implementation import Implementation
from autoperf.implementations.lookup import implementation
from autoperf.registry.calls import Gradient, InferenceCall
from autoperf.registry.client import RegistryClient
from autoperf.registry.names import Names
from autoperf.rules.catalog import Catalog, catalog
from autoperf.rules.composites.composite import stand_ins
from autoperf.rules.front_end import FRONT_END
from autoperf.rules.front_end_benchmarks import front_end_benchmarks_by_name
from autoperf.rules.gluon_layers.layer import gluon_layers_by_name
from autoperf.rules.rule import InputSpec, Rule, Tier
from autoperf.rules.sandbox import Limits, UserRules, user_rules


@dataclass(frozen=True)
class Release:
    """A framework with its rules; one that follows another has that one's registry and client, with its library."""

    backend: Backend
    library: Path
    registry: Registry
    client: RegistryClient
    catalog: Catalog
    user_rules: UserRules | None = None
    followed: Path | None = None

    @cached_property
    def version(self) -> str:
        """The framework's version."""
        return self.backend.version(self.library) if self.followed else self.registry.mxnet

    @property
    def rule_failures(self) -> tuple[str, ...]:
        """The failures of the user's own rules so far, each once."""
        return self.user_rules.sandbox.failures if self.user_rules else ()

    @property
    def layers(self) -> dict[str, LayerPlace]:
        """The places of the classes of the user's own layers, by the names of their cases."""
        rules = self.user_rules.catalog.rules if self.user_rules else []
        return {rule.layer.operator.name: rule.layer.place for rule in rules if rule.layer}

    def implementation(self, framework: str, operator: Operator, case: Case) -> Implementation | str:
        """The implementation, first the user's own, or why there is none. Raises UserRuleError if a condition fails."""
        own = self.user_rules.implementations(framework, operator, case) if self.user_rules else ()
        return implementation(framework, operator, case, own)

    def tier(self, rule: Rule) -> Tier:
        """The tier of a rule that covers an operator of this release."""
        return self._tiers[rule.source]

    @cached_property
    def _tiers(self) -> dict[str, Tier]:
        return self.catalog.tiers((*self.registry.forward, *self.registry.unregistered))

    def unknown_names(self) -> Iterator[str]:
        """A notice for each name of a user's own rules that this release does not register."""
        known = {name for operator in self.registry.selectable for name in operator.names}
        named = self.catalog.user_rules.named if self.catalog.user_rules else {}
        sources = {name: rule.source for name, rule in named.items()}
        for entry in self.user_rules.lines.values() if self.user_rules else ():
            sources = dict.fromkeys(entry.line.operators, entry.source) | sources
        for name in sorted(sources.keys() - known):
            problem = UnknownNameError("operator", name, known)
            title = backend_of(MXNET).title if self.followed else self.backend.title
            yield f"{sources[name]} is for an operator that is not in {title} {self.registry.mxnet}: {problem}"

    def check_lines(self) -> None:
        """Raises RuleError for a line of the user with a name that neither its operators nor its framework have."""
        operators = {name: operator for operator in self.registry.selectable for name in operator.names}
        for entry in self.user_rules.lines.values() if self.user_rules else ():
            for name in entry.line.operators:
                if name in operators and not operators[name].accepts_any:
                    check_names(entry, name, self._names(operators[name]))

    def _names(self, operator: Operator) -> set[str]:
        """The inputs and parameters of an operator, also those that only its rule names."""
        names = {tensor.name for tensor in operator.tensors} | {parameter.name for parameter in operator.parameters}
        rule = self.catalog.find(operator)
        try:
            calls = rule.canonical(InputSpec(operator, rule.dtype)).values() if isinstance(rule, Rule) else ()
        except UserRuleError:
            # The failure is reported when the cases are made.
            calls = ()
        return names.union(*({*call.tensors, *call.params} for call in calls))

    def name_notes(self, operators: Sequence[str]) -> list[str]:
        """A notice for each Python function that was resolved, such as `nd.add` to broadcast_add. Raises UsageError."""
        return Names(self.registry, FRONT_END).notes(operators)


def following(release: Release, choice: FrameworkChoice) -> Release:
    """Another framework with a release's registry, client and rules. Raises UsageError and LibraryError."""
    backend = backend_of(choice.name)
    return replace(release, backend=backend, library=backend.find(choice.hint), followed=release.library)


@contextmanager
def open_release(
    hint: str | None = None,
    rules: Sequence[Path] = (),
    limits: Limits | None = None,
    framework: str = MXNET,
    followed: str | None = None,
) -> Iterator[Release]:
    """Finds a build of the framework and crawls it, or reads the cached crawl.

    For a framework that follows another one, `followed` is the other one's build, which is crawled. `rules` are files
    and folders of a user's own rules, which run in a process with these `limits`.
    Raises UsageError for an unsupported NumPy, LibraryError, RegistryError and RuleError.
    """
    backend = backend_of(framework)
    backend.check({})
    library = backend.find(hint)
    crawled = backend_of(backend.follows) if backend.follows else backend
    crawled_library = crawled.find(followed) if backend.follows else library
    with ExitStack() as stack:
        loaded = stack.enter_context(user_rules(rules, limits)) if rules else None
        client = stack.enter_context(RegistryClient(crawled, crawled_library))
        benchmarks = (entry.operator for entry in front_end_benchmarks_by_name().values())
        layers = {name: entry.operator for name, entry in gluon_layers_by_name().items()}
        own = [rule.layer.operator for rule in loaded.catalog.rules if rule.layer] if loaded else []
        layers |= {operator.name: operator for operator in own}
        registry = msgspec.structs.replace(client.registry(), front_end=(*benchmarks, *layers.values()))
        built_in = catalog().for_release(registry.mxnet)
        rule_catalog = built_in.with_user_rules(loaded.catalog.for_release(registry.mxnet)) if loaded else built_in
        registry = msgspec.structs.replace(registry, composites=tuple(stand_ins(rule_catalog.rules, registry)))
        other = crawled_library if backend.follows else None
        release = Release(backend, library, registry, client, rule_catalog, loaded, other)
        release.check_lines()
        yield release


def subject(release: Release, name: str) -> Subject:
    """An operator of a release with its rule. Raises UsageError if the release doesn't have it."""
    operator = release.registry.find(name)
    if operator is None:
        raise UsageError(f"MXNet {release.registry.mxnet} has no operator {name}")
    return Subject(operator, target_of(operator, release.catalog).rule, release.client)


Gradients: TypeAlias = dict[str, Gradient]


def read_gradients(release: Release, chosen: Sequence[Target]) -> Gradients:
    """MXNet's answer for every chosen operator that has a rule, by the operator's name.

    The first canonical inputs are tried, and without a gradient one input of each other mode, since an operator may be
    differentiable in some modes only: `topk` of values, samples from tensors of parameters. Front-end benchmarks have
    no gradient; layers have one of kernels that aren't known here; a composite has one if its rule says so.
    """
    calls: dict[str, list[InferenceCall]] = {}
    known: Gradients = {}
    for target in chosen:
        name, rule = target.operator.name, target.rule
        if target.operator.namespace == FRONT_END_NAMESPACE:
            known[name] = Gradient(differentiable=target.category == LAYERS)
        elif rule:
            try:
                if target.operator.namespace == COMPOSITE_NAMESPACE:
                    canonical = rule.canonical(InputSpec(target.operator, rule.dtype))
                    known[name] = Gradient(differentiable=any(inputs.training for inputs in canonical.values()))
                else:
                    calls[name] = modes(target, rule)
            except UserRuleError as error:
                known[name] = Gradient(error=str(error))
    gradients = dict(zip(calls, release.client.gradients([first for first, *_ in calls.values()]), strict=True))
    others = [(name, call) for name, (_, *rest) in calls.items() if not gradients[name].differentiable for call in rest]
    answers = release.client.gradients([call for _, call in others])
    for name, group in groupby(zip(others, answers, strict=True), key=lambda pair: pair[0][0]):
        gradients[name] = next((answer for _, answer in group if answer.differentiable), gradients[name])
    return gradients | known


def modes(target: Target, rule: Rule) -> list[InferenceCall]:
    """One call per mode of the rule's canonical inputs: a set of tensors, dtypes and switches; numbers are sizes."""
    spec = InputSpec(target.operator, rule.dtype)
    by_mode: dict[object, InferenceCall] = {}
    for inputs in rule.canonical(spec).values():
        call = inference_call(inputs, spec)
        tensors = tuple((name, kind.dtype) for name, kind in call.inputs.items())
        switches = tuple((name, value) for name, value in call.params.items() if isinstance(value, str | bool | None))
        by_mode.setdefault((tensors, switches), call)
    return list(by_mode.values())
