"""The values that travel between a command line and the machines of a fleet, as msgpack."""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

import msgspec

from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.case import Case
from autoperf.core.clocks import METRICS
from autoperf.core.hunt_events import LoggedEvent
from autoperf.hunt.request import HuntRequest
from autoperf.measurement.batches import BatchAnswer, BatchRequest, Job
from autoperf.measurement.settings import Settings
from autoperf.runs.environment import Machine


class WantedBuild(msgspec.Struct, frozen=True):
    """A build as the user named it, which a machine has to have: its version, and its digest if it is given by path."""

    framework: str
    hint: str | None
    version: str
    digest: str = ""


class WantedSide(msgspec.Struct, frozen=True):
    """A side of a session: its label, its settings, its build and the build of MXNet that it follows."""

    label: str
    settings: Settings
    build: WantedBuild
    followed: WantedBuild | None = None


class ShippedFile(msgspec.Struct, frozen=True):
    """A file of the user's code, which every machine gets: its path on the client, and its content.

    A file of a folder of rules has the folder's path, and its name below it.
    """

    path: str
    content: bytes
    name: str = ""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a machine needs to measure batches of a run.

    `files` has the user's code: extensions, layers (named by the settings), and rules (named by a hunt). `dtypes` are
    those of --dtype. `stop` decides when a pair in turn ends, by the metrics of the names in `stop_metrics`. A `hunt`
    is searched by the machine; a run's cases are made by the client.
    """

    sides: tuple[WantedSide, ...]
    dtypes: tuple[str, ...] = ()
    int64_tensor: bool = False
    stop: ComparisonOptions | None = None
    stop_metrics: tuple[str, ...] = ()
    files: tuple[ShippedFile, ...] = ()
    extensions: tuple[str, ...] = ()
    hunt: HuntRequest | None = None

    @property
    def comparison(self) -> ComparisonOptions | None:
        """The options by which pairs in turn end, with these metrics."""
        metrics = tuple(metric for metric in METRICS if metric.name in self.stop_metrics)
        return msgspec.structs.replace(self.stop, metrics=metrics) if self.stop else None


class Greeting(msgspec.Struct, frozen=True, tag="greeting"):
    """Asks for the records of the machine, and for the answers to a batch that all machines measure first."""

    batch: BatchRequest | None = None


class CallsMessage(msgspec.Struct, frozen=True, tag="calls"):
    """Asks to try the calls of a Python program on each side."""

    jobs: tuple[tuple[Job, ...], ...]


class HuntMessage(msgspec.Struct, frozen=True, tag="hunt"):
    """Asks to search some operators for so many seconds; `recorded` has the cases to try first, by operator."""

    operators: tuple[str, ...]
    seconds: float
    recorded: dict[str, tuple[Case, ...]] = {}


class SessionOpened(msgspec.Struct, frozen=True, tag="opened"):
    """A session is open: the record of each side's machine, and notices of what disturbs measurements there.

    `agreement` has the answers to the batch of the greeting.
    """

    machines: tuple[Machine, ...]
    notices: tuple[str, ...] = ()
    agreement: tuple[BatchAnswer, ...] = ()


class BatchDone(msgspec.Struct, frozen=True, tag="done"):
    """All answers to a batch."""

    answers: tuple[BatchAnswer, ...]


class HuntDone(msgspec.Struct, frozen=True, tag="searched_operators"):
    """The events of a search, in order, and the failures of the user's rules."""

    events: tuple[LoggedEvent, ...]
    rule_failures: tuple[str, ...] = ()


class CallsTried(msgspec.Struct, frozen=True, tag="tried"):
    """All calls were tried; `refused` has the framework's words for one that it refuses, else it is empty."""

    refused: str = ""


class MachineRefused(msgspec.Struct, frozen=True, tag="unusable"):
    """The machine can't measure this session, for this reason."""

    reason: str


class CutOff(msgspec.Struct, frozen=True, tag="cut_off"):
    """A request without an answer, of a machine that may answer others; `reason` is a sentence."""

    reason: str


Request: TypeAlias = Greeting | BatchRequest | CallsMessage | HuntMessage
Answer: TypeAlias = SessionOpened | BatchDone | HuntDone | CallsTried | MachineRefused | CutOff
Encoded = TypeVar("Encoded")


class Reply(msgspec.Struct, Generic[Encoded], frozen=True):
    """An answer with the Dask address of the worker and the name of the host that gave it."""

    address: str
    host: str
    answer: Encoded


class Order(msgspec.Struct, frozen=True):
    """What a Dask worker hands to its measuring process: an encoded request, and the session in which it is answered.

    `dropped` are variables of the worker that measuring processes must not have.
    """

    session: bytes
    request: bytes
    dropped: tuple[str, ...]
