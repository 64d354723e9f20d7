"""Runs the sessions of `autoperf upgrade`: results, other names, the node at which a network departs, then times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from autoperf import __version__
from autoperf.backends.lookup import BACKENDS, MXNET, WAYS, FrameworkChoice, backend_of, framework_of, parse_framework
from autoperf.backends.releases import is_version
from autoperf.cases.release import open_release
from autoperf.cases.store import VERSION, CasesHeader, StoredGroups, write_cases
from autoperf.comparison.compare import compare_files
from autoperf.comparison.comparison import ComparedFigure, ComparisonOptions
from autoperf.core.case import Case
from autoperf.core.clocks import PYTHON, WALL
from autoperf.core.errors import AutoperfError, Exit, UsageError
from autoperf.core.files import NDJSON
from autoperf.core.graph import HYBRIDIZED, IMPERATIVE, IN_TURN, NETWORK
from autoperf.core.outcome import Outcome
from autoperf.core.releases import release_title
from autoperf.core.texts import count
from autoperf.front.compare_sides import check_sides, measure_sides
from autoperf.front.output import tell
from autoperf.front.run_output import run_session
from autoperf.measurement.resumed_run import labelled_path
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import RunMode
from autoperf.networks.capture import CaptureRequest, capture
from autoperf.networks.source import parse_source
from autoperf.registry.names import OTHER_NAMES
from autoperf.reports.provenance import origin_line
from autoperf.reports.units import span
from autoperf.runs.run_reader import RunReader
from autoperf.runs.runfile import Provenance, provenance_of
from autoperf.upgrade.moves import OBSTACLES, Fate, Found, Tried, fate_of, network_moves, other_names
from autoperf.upgrade.report import Upgrade

MAX_ROUNDS = 3
"""The number of other names that are tried for an operator."""
WHOLE_SHARE = 0.4
"""The share of the time budget that whole networks get."""


@dataclass(frozen=True)
class Target:
    """The options of the two sides: releases of MXNet, or frameworks with the release that they follow."""

    libraries: tuple[str, ...]
    frameworks: tuple[str, ...] = ()

    @classmethod
    def of(cls, to: str, origin: str | None) -> Target:
        """The sides for a target. Raises UsageError for an unknown one, LibraryError for one that isn't installed."""
        choice = parse_framework(to)
        if framework_of(choice.name) in BACKENDS and choice.name != MXNET:
            backend_of(choice.name).find(choice.hint)
            return cls((origin,) if origin else (), (MXNET, str(choice)))
        if not (is_version(to) or Path(to).exists()):
            known = ", ".join((*(name for name in BACKENDS if name not in (MXNET, "numpy")), *WAYS))
            raise UsageError(
                f"unknown target {to!r}: expected a release of MXNet (2.0.0b1), the path of its library, or {known}"
            )
        for hint in (origin, to):
            backend_of(MXNET).find(hint)
        return cls((origin or "installed", to))

    @property
    def release(self) -> str | None:
        """The release of MXNet that is the target; None for a framework."""
        return None if self.frameworks else self.libraries[1]


@dataclass(frozen=True)
class UpgradeRequest:
    """The networks, as they are captured or already captured, and the request by which both sides measure them."""

    networks: tuple[str, ...]
    capture: CaptureRequest
    run: RunRequest
    target: Target


def upgraded(request: UpgradeRequest) -> Upgrade | None:
    """Tries, compares and times the networks on both sides; None after Ctrl-C. Raises AutoperfError."""
    notes: list[str] = []
    target = request.target
    run = replace(request.run, libraries=target.libraries, frameworks=target.frameworks)
    check_sides(run)
    # The side to move to is read before anything is captured, as is what it can't load.
    choice = parse_framework(target.frameworks[-1]) if target.frameworks else FrameworkChoice(MXNET, target.release)
    followed = next(iter(target.libraries), None) if target.frameworks else None
    with open_release(choice.hint, run.rules, framework=choice.name, followed=followed) as release:
        known = tuple(name for operator in release.registry.operators for name in operator.names)
    paths = tuple(_case_files(request, notes))
    cases = tuple(case for path in paths for group in StoredGroups(path) for case in group)
    if not any(case.calls for case in cases):
        raise UsageError(f"{', '.join(map(str, paths))}: no case is of a network; `autoperf capture` writes such files")
    sessions = _Sessions(replace(run, cases=paths), target, known, cases)
    try:
        found, provenances = sessions.found()
    except KeyboardInterrupt:
        return None
    base, new = (release_title(each.release) for each in provenances.values())
    networks, is_mxnet = tuple(network_moves(found)), bool(target.release)
    if len({(each.release, each.build) for each in provenances.values()}) == 1:
        notes.append(f"both sides are {base}: --to names the release that it is to move to")
    return Upgrade(base, new, networks, tuple(notes), origin_line(provenances), is_mxnet=is_mxnet)


def _case_files(request: UpgradeRequest, notes: list[str]) -> Iterator[Path]:
    """The files of cases of the networks: captured before, or now, for inference and for a training step."""
    yield from (Path(name) for name in dict.fromkeys(request.networks) if name.endswith(NDJSON))
    sources = tuple(parse_source(name) for name in request.networks if not name.endswith(NDJSON))
    wanted = request.capture
    if not sources and (wanted.inputs or wanted.batches or wanted.parameters):
        raise UsageError(
            "--input, --batch and --params-file capture a network, but the networks are files of captured ones: leave "
            "them out, or name the network itself"
        )
    for training in (False, True) if sources else ():
        if training and not request.run.settings.backward:
            return
        path = labelled_path(request.capture.output, "training" if training else "inference")
        wanted = replace(request.capture, sources=sources, output=path, training=training)
        try:
            networks = capture(wanted)
        except AutoperfError as error:
            if not training:
                raise
            notes.append(f"no training step: {error}")
            return
        # A training step has the parameters of inference.
        notes += dict.fromkeys(each.note for each in networks if each.note and each.note not in notes)
        for network in networks:
            notes += [f"{network.name}: the whole isn't tried: {network.no_whole}"] if network.no_whole else []
            notes += (f"{network.name}: {each.call.node} isn't tried alone: {each.reason}" for each in network.refusals)
        tell([f"captured: {path}"])
        yield path


@dataclass
class _Sessions:
    """The sessions over the cases of networks; each finds a part."""

    run: RunRequest
    target: Target
    known: tuple[str, ...]
    cases: tuple[Case, ...]
    others: dict[str, str] = field(default_factory=dict)
    tried: dict[str, Tried] = field(default_factory=dict)
    provenances: dict[str, Provenance] = field(default_factory=dict)
    sessions: int = 0

    def found(self) -> tuple[Found, dict[str, Provenance]]:
        tell([f"results: {count(len(self.cases), 'case')} on both sides"])
        self.tried |= self._results("results", self.run)
        self._try_other_names()
        departs = self._departures()
        return Found(self.tried, self._times(), self.others, departs, self._hybridized()), self.provenances

    def _results(self, name: str, request: RunRequest) -> dict[str, Tried]:
        """The outcomes of one call of each case on both sides, whose results are compared."""
        settings = msgspec.structs.replace(request.settings, time_budget=None)
        base, new = self._measured(name, replace(request, settings=settings), ComparisonOptions(metrics=()))
        with RunReader(base) as first, RunReader(new) as second:
            for title, reader in (("base", first), ("new", second)):
                self.provenances[title] = provenance_of(reader.header, reader.machines)
            both = [{outcome.case: outcome for outcome in reader} for reader in (first, second)]
        return {case: Tried(*(side.get(case) for side in both)) for case in dict.fromkeys((*both[0], *both[1]))}

    def _measured(self, name: str, request: RunRequest, options: ComparisonOptions) -> tuple[Path, Path]:
        """The run files of a session. Raises KeyboardInterrupt after Ctrl-C."""
        assert request.output
        self.sessions += 1
        request = replace(request, output=labelled_path(request.output, f"{self.sessions}-{name}"))
        if self.others:
            names = ",".join(f"{name}={other}" for name, other in self.others.items())
            request = replace(request, environments=({}, {OTHER_NAMES: names}))
        base, new, code = measure_sides(request, options)
        if code == Exit.INTERRUPTED:
            raise KeyboardInterrupt
        return base, new

    def _try_other_names(self) -> None:
        """Finds other names for the operators that a release lacks, or that compute something else there."""
        pending = self._obstructed()
        if not (pending and self.target.release):
            return
        candidates = {operator: other_names(operator, self.known)[:MAX_ROUNDS] for operator in pending}
        for _ in range(MAX_ROUNDS):
            names = {operator: listed.pop(0) for operator in self._obstructed() if (listed := candidates.get(operator))}
            if not names:
                break
            # Those of these names are kept whose calls all have equal results.
            ids = frozenset(case.id for case in self.cases if case.operator in names)
            before, self.others = self.others, {**self.others, **names}
            tried = self._results("names", replace(self.run, only=ids))
            failed = {case.partition("/")[0] for case, each in tried.items() if fate_of(each)[0] is not Fate.MOVES}
            self.others = before | {operator: other for operator, other in names.items() if operator not in failed}
            self.tried |= {case: each for case, each in tried.items() if case.partition("/")[0] not in failed}
        if self.others:
            wholes = (case.id for case in self.cases if case.category == NETWORK)
            self.tried |= self._results("wholes", replace(self.run, only=frozenset(wholes)))

    def _obstructed(self) -> list[str]:
        moves = (tried for tried in self.tried.values() if fate_of(tried)[0] in OBSTACLES)
        outcomes = (tried.base or tried.new for tried in moves)
        return list(dict.fromkeys(each.operator for each in outcomes if each and each.category != NETWORK))

    def _departures(self) -> dict[str, str]:
        """The first node of each network whose output differs between the sides, in words."""
        wholes = {
            case.id: case
            for case in self.cases
            if case.category == NETWORK and case.mode == IMPERATIVE and IN_TURN not in case.params
        }
        departing = [case for case in wholes.values() if fate_of(self.tried[case.id])[0] is Fate.DIFFERS]
        if not departing:
            return {}
        path = labelled_path(self.run.output or Path(), "nodes-cases")
        opened: dict[str, tuple[Case, Case]] = {}
        for outer in departing:
            # With an output of each of its nodes, in order: the first that differs is where it departs.
            graphs = {
                name: msgspec.structs.replace(graph, outputs=tuple(node.name for node in graph.nodes))
                for name, graph in outer.graphs.items()
            }
            case = msgspec.structs.replace(outer, graphs=graphs, outputs=())
            opened[case.id] = case, outer
        write_cases(path, CasesHeader(VERSION, __version__, "", 0), (case for case, _ in opened.values()))
        departs: dict[str, str] = {}
        for id_, tried in self._results("nodes", replace(self.run, cases=(path,))).items():
            case, outer = opened[id_]
            place = tried.difference.output if tried.difference else None
            if place is not None:
                node = case.graphs[next(iter(case.graphs))].nodes[place]
                reason = fate_of(tried)[1].partition(": ")[2]
                departs |= dict.fromkeys(outer.calls or {}, f"{node.name} ({node.operator}): {reason}")
        return departs

    def _times(self) -> list[ComparedFigure]:
        """The times of the cases that both sides run with equal results, of whole networks first."""
        equal = {case.id: case for case in self.cases if fate_of(self.tried[case.id])[0] is Fate.MOVES}
        wholes = frozenset(name for name, case in equal.items() if case.category == NETWORK)
        budget = self.run.settings.time_budget or 0.0
        tell([f"times: {count(len(equal), 'case')} with equal results"])
        timed = self._timed("whole-times", wholes, budget * WHOLE_SHARE)
        return [*timed, *self._timed("times", frozenset(equal) - wholes, budget * (1 - WHOLE_SHARE))]

    def _timed(self, name: str, only: frozenset[str], seconds: float) -> Sequence[ComparedFigure]:
        if not only:
            return ()
        settings = msgspec.structs.replace(self.run.settings, profiler="python", time_budget=seconds)
        options = ComparisonOptions(metrics=(PYTHON if self.target.frameworks else WALL,), allow_missing=True)
        files = self._measured(name, replace(self.run, only=only, settings=settings), options)
        try:
            return compare_files(*files, options).cases
        except UsageError:
            tell([f"nothing was timed on both sides within {span(seconds)}: a longer --time-budget does"])
            return ()

    def _hybridized(self) -> dict[str, Outcome]:
        """The hybridized networks of MXNet alone, where the other side is a framework, with one way to run them."""
        ids = frozenset(case.id for case in self.cases if case.category == NETWORK and case.mode == HYBRIDIZED)
        if not (self.target.frameworks and ids and self.run.output):
            return {}
        settings = msgspec.structs.replace(self.run.settings, profiler="python", time_budget=None)
        output = labelled_path(self.run.output, "hybridized")
        request = replace(self.run, frameworks=(MXNET,), only=ids, settings=settings, output=output)
        finished = run_session(request, RunMode())
        if not finished.complete:
            raise KeyboardInterrupt
        with RunReader(output) as run:
            return {outcome.case: outcome for outcome in run}
