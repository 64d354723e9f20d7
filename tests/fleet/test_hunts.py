"""A hunt's operators are shared among machines; their findings are in one folder, whatever happens to a machine."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.events import Event, FindingConfirmed, HuntFinished, OperatorSearched
from autoperf.fleet import measuring
from autoperf.fleet.clusters import FleetHunt, _session
from autoperf.fleet.fleet import Answered, Lost, Result
from autoperf.fleet.messages import CutOff, HuntDone, HuntMessage, Reply, SessionOpened, with_places
from autoperf.hunt.request import HuntRequest
from autoperf.hunt.sides import sides_of
from autoperf.hunt.stored import HuntFolder, read_hunt
from autoperf.measurement.settings import Settings
from autoperf.runs.huntlog import LOG, open_for_resume, read_log
from tests.finding_values import HEADER, SEARCHED, SOFTMAX
from tests.values import MACHINE, Recording

REFUSED = "No space left on device"
NAMES = ("cos", "exp", "log", "sin", "softmax")


class HuntingFleet:
    """Machines that find SOFTMAX; the first results are `faults`: the reasons why work is lost, or what is raised."""

    def __init__(self, machines: int, *faults: str | type[BaseException] | None) -> None:
        self.machines = {f"tcp://node:{number}": SessionOpened((MACHINE,)) for number in range(machines)}
        self._faults = list(faults)
        self._busy: dict[str, tuple[HuntMessage, tuple[str, ...]]] = {}
        self.messages: list[HuntMessage] = []

    @property
    def idle(self) -> list[str]:
        return [address for address in self.machines if address not in self._busy]

    @property
    def in_flight(self) -> list[tuple[str, ...]]:
        return [names for _, names in self._busy.values()]

    def submit(self, address: str, request: HuntMessage, names: tuple[str, ...]) -> None:
        assert address in self.idle
        self._busy[address] = request, names
        self.messages.append(request)

    def wait(self, seconds: float) -> Result[tuple[str, ...]] | None:
        fault = self._faults.pop(0) if self._faults else None
        if isinstance(fault, type):
            raise fault
        address = next(iter(self._busy))
        message, names = self._busy.pop(address)
        if fault == REFUSED:
            del self.machines[address]
            return Lost(names, fault, losses=0)
        if fault:
            return Lost(names, fault)
        return Answered(names, Reply(address, "node", HuntDone(tuple(self._events(message)))))

    def _events(self, message: HuntMessage) -> list[FindingConfirmed | OperatorSearched]:
        confirmed = msgspec.structs.replace(SOFTMAX, expected_us=2 * SOFTMAX.expected_us)
        lines = [FindingConfirmed(at=0.5, finding=confirmed), FindingConfirmed(at=1.0, finding=SOFTMAX)]
        found = lines if "softmax" in message.operators else []
        done = [msgspec.structs.replace(SEARCHED[0], operator=name) for name in message.operators]
        return [*found, *(OperatorSearched(at=2.0, searched=searched) for searched in done)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "hunt"


def hunted(
    release: Release, place: Path, fleet: HuntingFleet, budget: float = 600.0, sink: Recording | None = None
) -> tuple[bool, Recording]:
    sink = sink or Recording()
    chosen = targets(release.registry, release.catalog, Selection(operators=NAMES))
    resumed = open_for_resume(place / LOG) if place.exists() else None
    with HuntFolder(place, HEADER, resumed=resumed) as folder:
        return FleetHunt(fleet, folder, sink, budget).run(chosen, 0), sink


def searched(place: Path) -> dict[str, str]:
    _, events = read_log(place / LOG)
    return {event.searched.operator: event.searched.ended for event in events if isinstance(event, OperatorSearched)}


@pytest.mark.parametrize("machines", [1, 3])
def test_every_operator_is_searched_and_its_findings_kept(release: Release, folder: Path, machines: int) -> None:
    fleet = HuntingFleet(machines)
    complete, sink = hunted(release, folder, fleet)
    assert complete
    assert set(searched(folder)) == set(NAMES)
    assert sorted(name for message in fleet.messages for name in message.operators) == sorted(NAMES)
    *_, found = [event.finding for event in sink.events if isinstance(event, FindingConfirmed)]
    assert found == SOFTMAX
    assert sum(isinstance(event, OperatorSearched) for event in sink.events) == len(NAMES)
    *_, last = read_log(folder / LOG)[1]
    assert isinstance(last, HuntFinished)


def test_machines_have_their_seconds_each(release: Release, folder: Path) -> None:
    fleet = HuntingFleet(5)
    hunted(release, folder, fleet, budget=600.0)
    assert [message.seconds for message in fleet.messages] == [pytest.approx(600.0, rel=0.05)] * 5


def test_short_searches_go_to_a_machine_together(release: Release, folder: Path) -> None:
    fleet = HuntingFleet(1)
    hunted(release, folder, fleet, budget=25.0)
    assert [len(message.operators) for message in fleet.messages] == [5]


def test_a_lost_machine_costs_no_operator(release: Release, folder: Path) -> None:
    faults = ("its worker is gone", REFUSED, "its worker is gone")
    hunted(release, folder, HuntingFleet(3, *faults))
    assert set(searched(folder)) == set(NAMES)


def test_a_log_that_cannot_be_read_is_no_fault_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, release: Release, folder: Path
) -> None:
    def unreadable(_request: HuntRequest, place: Path, *_others: object, **_named: object) -> SimpleNamespace:
        (place / LOG).write_text("no log\n")
        finished = SimpleNamespace(folder=SimpleNamespace(close=lambda: None), rule_failures=())
        return SimpleNamespace(run=lambda: finished)

    monkeypatch.setattr(measuring, "HuntSession", unreadable)
    request = HuntRequest(seed=0, budget=1.0, least=2.0, timeout=1.0)
    answer = measuring.searched(request, HuntMessage(("softmax",), 1.0))
    assert isinstance(answer, CutOff)
    assert LOG in answer.reason
    fleet = HuntingFleet(1, answer.reason)
    hunted(release, folder, fleet)
    assert len(fleet.machines) == 1
    assert set(searched(folder)) == set(NAMES)


def test_an_operator_that_ends_machines_is_given_up(release: Release, folder: Path) -> None:
    _, sink = hunted(release, folder, HuntingFleet(1, *["it ended 4 workers"] * 4), budget=6000.0)
    assert set(searched(folder)) == set(NAMES)
    given_up = [
        event.searched for event in sink.events if isinstance(event, OperatorSearched) and event.searched.reason
    ]
    assert [each.reason for each in given_up] == ["given up after 4 workers: it ended 4 workers"] * len(given_up)


def test_an_interrupted_hunt_is_resumed_with_the_rest(release: Release, folder: Path) -> None:
    complete, _ = hunted(release, folder, HuntingFleet(1, None, KeyboardInterrupt))
    assert not complete
    ended = searched(folder)
    assert list(ended.values()).count("interrupted") == len(NAMES) - 1
    again = HuntingFleet(2)
    assert hunted(release, folder, again)[0]
    assert "interrupted" not in searched(folder).values()
    assert len(again.messages) == len(NAMES) - 1


def test_a_machine_has_absolute_paths(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("libmxnet.so").symlink_to(release.library)
    Path("mine.py").touch()
    request = HuntRequest(seed=0, budget=1.0, least=2.0, timeout=1.0, library="libmxnet.so", rules=("mine.py",))
    sent = _session(request, sides_of([release], None, Settings()))
    hunt = with_places(sent, tmp_path / "there").hunt
    assert hunt
    assert hunt.hints == (str(tmp_path / "libmxnet.so"),)
    assert [Path(path).is_relative_to(tmp_path / "there") for path in hunt.rules] == [True]


class Pressing(Recording):
    """Presses Ctrl-C at the first finding."""

    def handle(self, event: Event) -> None:
        pressed = any(isinstance(before, FindingConfirmed) for before in self.events)
        super().handle(event)
        if isinstance(event, FindingConfirmed) and not pressed:
            signal.raise_signal(signal.SIGINT)


def test_results_that_have_arrived_outlast_ctrl_c(release: Release, folder: Path) -> None:
    complete, _ = hunted(release, folder, HuntingFleet(1), sink=Pressing())
    assert not complete
    assert searched(folder)["softmax"] == SEARCHED[0].ended
    assert list(read_hunt(folder).findings.values()) == [SOFTMAX]


def test_operators_without_a_rule_are_told_at_once(release: Release, folder: Path) -> None:
    (target,) = targets(release.registry, release.catalog, Selection(operators=("exp",)))
    bare = replace(target, rule=None, missing="nothing covers it")
    fleet = HuntingFleet(1)
    with HuntFolder(folder, HEADER) as opened:
        assert FleetHunt(fleet, opened, Recording(), 60.0).run([bare], 0)
    assert (searched(folder), fleet.messages) == ({"exp": "nothing"}, [])
