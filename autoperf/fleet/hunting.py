"""A machine's part of a hunt: it searches some operators as a hunt of its own, and returns the events of its log."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import msgspec

from autoperf.cases.handwritten import OwnInputs
from autoperf.core.errors import CaseFileError
from autoperf.core.events import NullSink
from autoperf.core.hunt_events import HuntFinished, HuntResumed
from autoperf.fleet.messages import Answer, CutOff, HuntDone, HuntMessage, MachineRefused, Session
from autoperf.fleet.shipping import check_version, found_build
from autoperf.hunt.session import HuntSession
from autoperf.measurement.machine_state import known_reference
from autoperf.measurement.quick_timing_client import QuickTimingClient
from autoperf.runs.environment import Machine, machine_of, record
from autoperf.runs.huntlog import LOG, read_log

WORKER = ("autoperf", "worker")
"""The command under which a machine of a fleet is known to other runs on it."""


def hunting_machines(session: Session, scratch: Path) -> tuple[Machine, ...]:
    """The record of each side's machine. Raises LibraryError for another build than the client's."""
    machines = []
    for side in session.sides:
        with QuickTimingClient(found_build(side.build), side.settings, scratch) as client:
            check_version(side.build, client.build.version)
            machines.append(machine_of(record(client.build.facts), known_reference()))
    return tuple(machines)


def searched(session: Session | None, message: HuntMessage) -> Answer:
    """Searches these operators in a folder of its own, which is removed."""
    if session is None or session.hunt is None:
        return MachineRefused("no hunt is open")
    request = msgspec.structs.replace(
        session.hunt,
        operators=message.operators,
        categories=(),
        namespaces=(),
        cases=(),
        own=OwnInputs(),
        profiles=(),
        budget=message.seconds,
    )
    folder = Path(tempfile.mkdtemp(prefix="autoperf-hunt-"))
    try:
        hunt = HuntSession(request, folder, NullSink(), WORKER, given=message.recorded).run()
        hunt.folder.close()
        _, events = read_log(folder / LOG)
        kept = tuple(event for event in events if not isinstance(event, HuntFinished | HuntResumed))
        return HuntDone(kept, hunt.rule_failures)
    except CaseFileError as error:
        # These operators' fault: the machine goes on with others.
        return CutOff(str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
