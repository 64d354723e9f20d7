"""Signatures of operators, and the check of a user's cases against them before anything is measured."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path

from autoperf.cases.build import parameters
from autoperf.cases.release import Release
from autoperf.cases.store import CasesHeader
from autoperf.cases.suite import LoadedSuite
from autoperf.core.case import FILE, NON_ARGUMENTS, Case
from autoperf.core.errors import (
    AutoperfError,
    CaseFileError,
    EngineError,
    UnknownNameError,
    UsageError,
    UserRuleError,
    nearest,
)
from autoperf.core.graph import PREFIX, Graph, missing_arguments
from autoperf.core.operator import Form, Operator
from autoperf.registry.calls import call_of
from autoperf.rules.rule import Inputs, InputSpec, Rule

# Draws of a rule that show every parameter that it sets.
DRAWS_ASKED = 32


class Signature:
    """The inputs and parameters of an operator of one release, from the registry and from its rule.

    MXNet ignores many unknown parameters and would measure something else, but it does not list all known ones.
    """

    def __init__(self, release: Release, operator: Operator) -> None:
        self._release, self.operator = release, operator

    def takes_parameter(self, name: str) -> bool:
        """Whether there may be a parameter of this name; a layer's class says itself which it lacks."""
        operator = self.operator
        listed = operator.parameter(name) is not None or name == operator.variadic_count
        return operator.name.startswith(PREFIX) or listed or operator.accepts_any or name in self._unlisted

    def takes_input(self, stem: str, graphs: Iterable[Graph] = ()) -> bool:
        """Whether a case with these graphs may have an input of this name; a list of inputs has the list's name."""
        if stem == FILE:
            return self.operator.parameter(FILE) is not None
        if stem in NON_ARGUMENTS or any(tensor.name == stem for tensor in self.operator.tensors):
            return True
        # A compiled graph's variables are inputs. Drawing from a rule takes time, so it comes last.
        return any(stem in graph.inputs for graph in graphs) or stem in self.inputs

    def holds_graphs(self) -> bool:
        """Whether the operator takes graphs: as listed parameters (loops and branches), or by its rule."""
        listed = any(parameter.type.form is Form.POINTER for parameter in self.operator.parameters)
        return listed or any(call.graphs for _, call in self._rule_calls)

    @cached_property
    def inputs(self) -> frozenset[str]:
        """The names of all possible inputs."""
        from_rule = (name for _, call in self._rule_calls for name in call.tensors)
        return frozenset((*(tensor.name for tensor in self.operator.tensors), *from_rule))

    @property
    def parameters(self) -> frozenset[str]:
        """The names of all parameters."""
        return frozenset((*(parameter.name for parameter in self.operator.parameters), *self._unlisted))

    @cached_property
    def _unlisted(self) -> frozenset[str]:
        return frozenset(name for spec, call in self._rule_calls for name in parameters(call, spec))

    @cached_property
    def _rule_calls(self) -> list[tuple[InputSpec, Inputs]]:
        rule = self._release.catalog.find(self.operator)
        if not isinstance(rule, Rule):
            return []
        spec = InputSpec(self.operator, rule.dtype)
        try:
            calls = [*rule.canonical(spec).values(), *rule.drawn(spec, self.operator.name, DRAWS_ASKED)]
        except UserRuleError:
            # A rule that fails makes no cases either, and its failure is reported.
            return []
        return [(spec, call) for call in calls]


class CaseChecker:
    """Finds names in a user's cases that no release knows, except in unedited cases of another release."""

    def __init__(self, releases: Iterable[Release]) -> None:
        self._releases = tuple(releases)
        self._versions = {release.registry.mxnet for release in self._releases}
        self._signatures: dict[str, list[Signature]] = {}

    def check_stored(self, header: CasesHeader, place: str, case: Case) -> None:
        """Raises CaseFileError for a case of a case file."""
        if header.mxnet in self._versions:
            self._check(place, case)

    def check_suite(self, path: Path, suite: LoadedSuite) -> None:
        """Raises CaseFileError for the first such case of a Python file."""
        from_other_release = suite.header.mxnet and suite.header.mxnet not in self._versions
        for loaded in suite.cases:
            if not (from_other_release and loaded.label == loaded.case.id):
                self._check(f"{path}, {loaded.function}()", loaded.case)

    def check_names(self, operator: str, inputs: Iterable[str], params: Mapping[str, object]) -> None:
        """Raises UnknownNameError for a tensor or a parameter that the operator has in no release."""
        names = chain(self._parameters(operator, params), self._inputs(operator, inputs))
        if problem := next(chain(names, self._missing(operator, params)), None):
            raise problem

    def _check(self, place: str, case: Case) -> None:
        if problem := next(self._problems(case), None):
            raise CaseFileError(f"{place}: {problem}")

    def _problems(self, case: Case) -> Iterator[AutoperfError]:
        if not self._signatures_of(case.operator):
            yield self._unknown_operator(case.operator)
            return
        yield from self._parameters(case.operator, case.params)
        yield from self._inputs(case.operator, (item.name for item in case.inputs), case.graphs.values())
        yield from self._missing(case.operator, case.params)
        for node in (node for graph in case.graphs.values() for node in graph.nodes):
            known = bool(self._signatures_of(node.operator))
            problems = (
                self._parameters(node.operator, node.params) if known else [self._unknown_operator(node.operator)]
            )
            yield from (CaseFileError(f"node {node.name!r}: {problem}") for problem in problems)
        if case.graphs:
            completions = [release.client.complete([call_of(case)])[0] for release in self._releases]
            # A graph refers to an output that its node has in no release.
            if all(completion.malformed for completion in completions):
                yield EngineError(completions[0].error)

    def _inputs(self, operator: str, names: Iterable[str], graphs: Collection[Graph] = ()) -> Iterator[AutoperfError]:
        signatures = self._signatures_of(operator)
        for stem in dict.fromkeys(name.partition("[")[0] for name in names):
            if not any(signature.takes_input(stem, graphs) for signature in signatures):
                yield _unknown("input", stem, signatures, operator)

    def _parameters(self, operator: str, params: Mapping[str, object]) -> Iterator[AutoperfError]:
        signatures = self._signatures_of(operator)
        for name in params:
            if not any(signature.takes_parameter(name) for signature in signatures):
                yield _unknown("parameter", name, signatures, operator)

    def _missing(self, operator: str, params: Mapping[str, object]) -> Iterator[AutoperfError]:
        """An error for a layer without a needed argument; MXNet's inference checks operators."""
        for signature in self._signatures_of(operator)[:1] if operator.startswith(PREFIX) else ():
            # The description of a layer is its path.
            if missing := [each.name for each in signature.operator.required if each.name not in params]:
                yield missing_arguments(signature.operator.description, missing)

    def _unknown_operator(self, name: str) -> UnknownNameError:
        operators = (operator for release in self._releases for operator in release.registry.operators)
        return UnknownNameError("operator", name, {known for operator in operators for known in operator.names})

    def _signatures_of(self, name: str) -> list[Signature]:
        if name not in self._signatures:
            pairs = [(release, release.registry.find(name)) for release in self._releases]
            self._signatures[name] = [Signature(release, operator) for release, operator in pairs if operator]
        return self._signatures[name]


def _unknown(kind: str, name: str, signatures: Iterable[Signature], operator: str) -> AutoperfError:
    """The error for an unknown input, which may be meant as one of the parameters, or the other way round."""
    inputs = {known for signature in signatures for known in signature.inputs}
    params = {known for signature in signatures for known in signature.parameters}
    own, others = (inputs, params) if kind == "input" else (params, inputs)
    similar = nearest(name, others) if not nearest(name, own) else []
    meant = name if name in others else next(iter(similar), "")
    if not meant:
        return UnknownNameError(f"{kind} of {operator}", name, own)
    other, by = ("parameter", f"--param {meant}=VALUE") if kind == "input" else ("input", f"--input {meant}=SHAPE")
    return UsageError(f"unknown {kind} of {operator} {name!r}: it has the {other} {meant} ({by})")
