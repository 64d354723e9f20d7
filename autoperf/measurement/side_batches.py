"""The cases of a run on its sides: made once, and each side runs or skips each of them, with a reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias

import msgspec

from autoperf.backends.lookup import framework_of
from autoperf.backends.protocol import Program
from autoperf.backends.results import program_of
from autoperf.cases.build import Recipe, unchecked
from autoperf.cases.deduction import Subject, with_own_contents
from autoperf.cases.release import Release, subject
from autoperf.cases.render import prepare
from autoperf.cases.signatures import CaseChecker, Signature
from autoperf.cases.suite_reader import read_suite
from autoperf.core.case import FILE, NON_ARGUMENTS, Case, Input
from autoperf.core.errors import AutoperfError, UsageError, UserRuleError
from autoperf.core.graph import FRONT_END as FRONT_END_WAYS
from autoperf.core.graph import IN_TURN, OWN_GRAPH, Graph, Node, short_reference, split_reference
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, Status
from autoperf.core.releases import parts
from autoperf.core.tensors import ArrayType, TensorSpec, default_content
from autoperf.equality.comparison import TOLERANCES
from autoperf.implementations.graphs import GraphNode, GraphProgram
from autoperf.implementations.implementation import Implementation
from autoperf.measurement.batches import Batch, Job, OperatorBatches, named_case, numbered, outcome, skipped_outcomes
from autoperf.measurement.settings import Settings
from autoperf.measurement.sides import SelectedOperator, Side, common_name
from autoperf.networks.calls import NetworkCall, argument_names
from autoperf.registry.calls import UNKNOWN_DIMENSION, Completion, call_of
from autoperf.rules.open_results import open_results
from autoperf.rules.rule import Draft

Find: TypeAlias = Callable[[Operator, Case], Implementation | str]
"""Finds the implementation of an operator for a case, or the reason why there is none."""
RANDOM = "draws random numbers, so results can't be compared"
REFUSES_GRAPH = "refuses the network itself: "
"""Before the words of the release that a framework follows, which is the other side of a comparison."""
ONE_WAY = "a graph runs in one way there, as the case whose profile ends in imperative"


def _graph_program(release: Release, find: Find, case: Case) -> Program | str:
    """The program of a case that runs its graph eagerly, or the reason why there is none."""
    if case.way != "eager":
        return ONE_WAY
    if IN_TURN in case.params:
        return "MXNet alone calls a network with several sizes in turn"
    (graph,) = case.graphs.values()
    variables = dict(zip(graph.input_order(), case.arguments, strict=True))
    # Also of nodes that no output needs: run eagerly, MXNet computes them too.
    every = Graph(graph.inputs, graph.nodes, tuple(node.name for node in graph.nodes))
    try:
        inferred = release.client.graph(every, {name: item.tensor.type for name, item in variables.items()})
    except AutoperfError as error:
        return f"MXNet {release.registry.mxnet} {REFUSES_GRAPH}{error}"
    types = {node.name: node.outputs for node in inferred.nodes}
    subjects = cache(partial(subject, release))
    try:
        nodes = tuple(_node(node, subjects(node.operator), find, types, case.training) for node in graph.nodes)
    except AutoperfError as error:
        return str(error)
    names = {name: item.name for name, item in variables.items()}
    updates = tuple(reference for node in nodes for reference in node.updated)
    if unknown := [reference for reference in updates if reference not in names]:
        return f"it updates {unknown[0]}, which is no input of the case"
    made = GraphProgram(names, nodes, tuple(map(short_reference, graph.outputs)), updates, training=case.training)
    return Program(_whole(case, made, differentiates=release.backend.differentiates), graph=made)


def _node(
    node: Node, operator: Subject, find: Find, types: Mapping[str, tuple[ArrayType, ...]], training: bool
) -> GraphNode:
    """A node with its implementation. Raises UsageError with the reason if there is none."""
    inputs = tuple(Draft(kind.shape, kind.dtype) for kind in (_type(types, name) for name in node.inputs))
    names = argument_names(NetworkCall(node.name, node.operator, {}, inputs), operator, node.params)
    if any(UNKNOWN_DIMENSION in kind.shape for kind in types[node.name]):
        raise UsageError(f"the shape of {node.name} ({node.operator}) depends on contents")
    tensors = (TensorSpec(each.shape, str(each.dtype), default_content(str(each.dtype))) for each in inputs)
    case = Case(
        operator=operator.operator.name,
        category=operator.category,
        profile=node.name,
        inputs=tuple(map(Input, names, tensors)),
        params=node.params,
        outputs=types[node.name],
        training=training,
    )
    found = find(operator.operator, case)
    if isinstance(found, str):
        raise UsageError(f"its operator {node.operator}: {found}")
    if found.random:
        raise UsageError(f"its operator {node.operator} {RANDOM}")
    program = program_of(found, operator.operator, case)
    given = dict(zip(names, map(short_reference, node.inputs), strict=True))
    return GraphNode(node.name, program.implementation, given, program.arguments, case.outputs)


def _type(types: Mapping[str, tuple[ArrayType, ...]], reference: str) -> ArrayType:
    """The type of a value of a graph. Raises UsageError for an output that isn't visible."""
    name, output = split_reference(reference)
    if output >= len(types.get(name, ())):
        raise UsageError(f"MXNet infers no type of {reference}")
    return types[name][output]


def _whole(case: Case, graph: GraphProgram, *, differentiates: bool) -> Implementation:
    """How the results of a graph are compared.

    Gradients are if the framework has them, unless a node's implementation has none where MXNet's operator has one:
    results that are compared in another dtype (comparisons, indices) have none in MXNet either.
    """
    chosen = [node.implementation for node in graph.nodes]
    made_by = {reference: node.implementation for node in graph.nodes for reference in node.references}
    precisions = [each.precision for each in chosen if each.precision]
    # The gradient of any other input means nothing to any node that takes it.
    meant = {
        reference
        for node in graph.nodes
        for name, reference in node.inputs.items()
        if name.partition("[")[0] not in node.implementation.constant
    }
    return Implementation(
        case.operator,
        f"the implementations of {', '.join(dict.fromkeys(each.operator for each in chosen))}",
        "hand",
        differentiable=differentiates and all(each.differentiable or each.cast for each in chosen),
        cast=any(made_by[reference].cast for reference in graph.outputs if reference in made_by),
        updates=tuple(_entry(graph.variables[reference]) for reference in graph.updates),
        constant=tuple(given for variable, given in graph.variables.items() if variable not in meant),
        precision=max(precisions, key=TOLERANCES.__getitem__, default=""),
    )


def _entry(name: str) -> str:
    """An input as an entry of an implementation, which reads a number in brackets as the end of a range."""
    stem, bracket, number = name.rstrip("]").partition("[")
    return f"{stem}[{number}:{int(number) + 1}]" if bracket else name


NO_EXECUTOR_SINCE = (2, 0)


def selected_batches(
    sides: Sequence[Side], chosen: Iterable[SelectedOperator], recipe: Recipe
) -> Iterator[OperatorBatches]:
    """Makes the cases of one operator after the other, queued or skipped on each side."""
    for selected in chosen:
        name = common_name(selected.target.operator, sides)
        prepared = prepare(selected.source.release, selected.target, recipe, name)
        jobs = list(map(Job, prepared.built.cases))
        skipped = tuple(numbered(skipped_outcomes(prepared.target, prepared.built)))
        yield tuple(_batch(side, name, jobs, skipped, selected) for side in sides)


def group_batches(
    sides: Sequence[Side], cases: Sequence[Case], skipped: tuple[Outcome, ...] = (), operator: str = ""
) -> OperatorBatches:
    """Queues given cases of one operator on each side, which may be none of `operator`."""
    name = operator or cases[0].operator
    return tuple(_batch(side, name, list(map(Job, cases)), skipped) for side in sides)


def file_batches(
    sides: Sequence[Side], path: Path, scratch: Path, settings: Settings, keep: Callable[[Case], bool] | None = None
) -> OperatorBatches:
    """Queues the cases of a Python file that `keep` selects. Raises CaseFileError, also for an unknown name."""
    suite = read_suite(path, scratch, settings.timeout, settings.bytes_allowed)
    CaseChecker(side.release for side in sides).check_suite(path, suite)
    jobs = [Job(_with_own_contents(case, sides)) for case in filter(keep, map(named_case, suite.cases))]
    return tuple(_batch(side, suite.header.operator, jobs) for side in sides)


def _with_own_contents(case: Case, sides: Sequence[Side]) -> Case:
    """The case with marks at contents that the rule doesn't give, by the first side that has the operator."""
    side = next((side for side in sides if case.operator in side.operators), None)
    rule = side.rule(case.operator) if side else None
    if side is None or rule is None:
        return case
    try:
        return with_own_contents(case, side.operators[case.operator], rule)
    except UserRuleError:
        return case


def _batch(
    side: Side,
    name: str,
    jobs: Sequence[Job],
    skipped: tuple[Outcome, ...] = (),
    selected: SelectedOperator | None = None,
) -> Batch:
    """The jobs that a side can run, and a skipped outcome with the reason for each other one."""
    broken: set[str] = set()
    if side.release.followed:
        jobs, reasons = _with_programs(side, name, jobs, broken)
    else:
        reasons = {job.case.id: _unfit(side, job.case, is_made=selected is not None) for job in jobs}
    if not (selected and side is selected.source):
        if selected and selected.target.rule:
            skipped = tuple(_of_source(selected.source, outcome) for outcome in skipped)
        if not side.release.followed:
            reasons |= _missing(side, name, [job.case for job in jobs if not reasons[job.case.id]], selected)
    refused = (
        outcome(job.case, Status.FAILED if job.case.id in broken else Status.SKIPPED, 0.0, reason=reasons[job.case.id])
        for job in jobs
        if reasons[job.case.id]
    )
    rule = side.rule(name)
    default_dtype, limits = (rule.dtype, dict(rule.limits)) if rule else ("", {})
    accepted = (
        msgspec.structs.replace(job, default_dtype=default_dtype, limits=limits, open=open_results(job.case))
        for job in jobs
        if not reasons[job.case.id]
    )
    return Batch(name, tuple(accepted), (*skipped, *refused))


def _with_programs(side: Side, name: str, jobs: Sequence[Job], broken: set[str]) -> tuple[list[Job], dict[str, str]]:
    """The jobs with their programs, and why others have none; `broken` gets ids where a user's line failed."""
    made, reasons = [], {}
    for job in jobs:
        try:
            found = program_on(side, name, job.case)
        except UserRuleError as error:
            found = str(error)
            broken.add(job.case.id)
        if isinstance(found, Program):
            made.append(msgspec.structs.replace(job, program=found))
            reasons[job.case.id] = ""
        else:
            made.append(job)
            reasons[job.case.id] = f"{side.title}: {found}"
    return made, reasons


def program_on(side: Side, name: str, case: Case) -> Program | str:
    """A case's program in a framework that follows another (a user's first), or the reason. Raises UserRuleError."""
    release = side.release
    find = partial(release.implementation, framework_of(release.backend.name))
    if case.way in OWN_GRAPH:
        return _graph_program(release, find, case)
    operator = side.operators.get(name)
    if operator is None:
        return f"MXNet {release.registry.mxnet} has no operator {name}"
    found = find(operator, case)
    return program_of(found, operator, case) if isinstance(found, Implementation) else found


def _missing(side: Side, name: str, cases: Sequence[Case], selected: SelectedOperator | None) -> dict[str, str]:
    """The first thing that a side lacks for each case, made for another release, by case id; empty if it has all."""
    operator = side.operators.get(name)
    if operator is None:
        return {case.id: f"{side.title} has no operator {name}" for case in cases}
    signature, gone = Signature(side.release, operator), None
    if selected:
        # Cases made by a rule have the inputs of the release that they were made with.
        of_source = {tensor.name for tensor in selected.target.operator.tensors}
        gone = of_source - {tensor.name for tensor in operator.tensors}
    reasons = {case.id: _missing_feature(side, name, signature, gone, case) for case in cases}
    if selected and selected.target.rule and selected.target.rule.inferable:
        accepted = [case for case in cases if not reasons[case.id]]
        pairs = zip(accepted, side.release.client.complete([call_of(case) for case in accepted]), strict=True)
        reasons |= {case.id: _refusal(side, case, completion) for case, completion in pairs}
    return reasons


def _of_source(source: Side, outcome: Outcome) -> Outcome:
    """The outcome with the release that its reason is about, since cases are made with one release only."""
    if outcome.status is Status.FAILED:
        # A user's own rule is at fault with any release.
        return outcome
    reason = f"under {source.title}, which the cases were made with: {outcome.reason}"
    return msgspec.structs.replace(outcome, reason=reason)


def _missing_feature(side: Side, name: str, signature: Signature, gone: Collection[str] | None, case: Case) -> str:
    """Why an operator with this signature can't take a case; `gone` are the inputs that it lacks, if they are known."""
    stems = [item.name.partition("[")[0] for item in case.inputs]
    given = [stem for stem in stems if stem != FILE]
    if gone is None:
        gone = [stem for stem in given if not signature.takes_input(stem, case.graphs.values())]
    missing = [f"input {stem}" for stem in given if stem in gone]
    missing += [f"parameter {each}" for each in case.params if not signature.takes_parameter(each)]
    missing += [f"parameter {FILE}"] if FILE in stems and not signature.takes_input(FILE) else []
    if missing:
        return f"{side.title} has no {missing[0]} of {name}"
    if case.graphs and not signature.holds_graphs():
        return f"{side.title} runs {name} without a graph ({', '.join(case.graphs)})"
    return ""


def _unfit(side: Side, case: Case, *, is_made: bool) -> str:
    """Why a side can't run a case: it lacks what the execution mode requires, or the inputs of a file don't fit."""
    lacking = ""
    if case.way in FRONT_END_WAYS and not side.release.backend.has_package(side.release.library):
        lacking = f"the Python package, which is not in {side.release.library.parent}"
    if case.way == "executor" and parts(side.mxnet) >= NO_EXECUTOR_SINCE:
        lacking = "the executor of 1.x"
    what = "layers of Gluon" if case.way == "layer" else case.operator
    if lacking:
        return f"{side.title} can't run {what} without {lacking}"
    rule = None if is_made else side.rule(case.operator)
    misfit = rule.misfit(case) if rule else ""
    return unchecked(misfit, side.title) if misfit else ""


def _refusal(side: Side, case: Case, completion: Completion) -> str:
    if completion.error:
        return f"{side.title} refuses these inputs: {completion.error}"
    expected = [name for name, _ in completion.inputs]
    given = [item.name for item in case.inputs if item.name not in NON_ARGUMENTS]
    if missing := [name for name in expected if name not in given]:
        return f"{side.title} requires more inputs of {case.operator}: {', '.join(missing)}"
    if expected != given:
        return f"{side.title} takes the inputs of {case.operator} in another order: {', '.join(expected)}"
    return ""
