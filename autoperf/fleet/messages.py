"""The values that travel between a command line and the machines of a fleet, as msgpack."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from autoperf.comparison.comparison import ComparisonOptions
from autoperf.core.case import Case
from autoperf.core.clocks import METRICS
from autoperf.core.hunt_events import LoggedEvent
from autoperf.core.outcome import PassName
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
    digest: str
    content: bytes
    folder: str = ""
    name: str = ""


class StopRule(msgspec.Struct, frozen=True):
    """The options of a comparison that decide when a pair in turn ends; `metrics` are names."""

    threshold: float
    margin: float | None
    passes: tuple[PassName, ...]
    metrics: tuple[str, ...]

    @property
    def options(self) -> ComparisonOptions:
        """The settings as options."""
        metrics = tuple(metric for metric in METRICS if metric.name in self.metrics)
        return ComparisonOptions(threshold=self.threshold, margin=self.margin, passes=self.passes, metrics=metrics)


def stop_rule(options: ComparisonOptions | None) -> StopRule | None:
    """The part of these options that a machine needs."""
    if options is None:
        return None
    metrics = tuple(metric.name for metric in options.metrics)
    return StopRule(options.threshold, options.margin, options.passes, metrics)


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a machine needs to measure batches of a run; `token` identifies it.

    `extensions` and `layers` are the user's operators and layers; a layer's file is named by the settings. `dtypes` are
    those of --dtype. A `hunt` is searched with the user's `rules`; a run's cases are made by the client.
    """

    token: str
    sides: tuple[WantedSide, ...]
    dtypes: tuple[str, ...] = ()
    int64_tensor: bool = False
    stop: StopRule | None = None
    extensions: tuple[ShippedFile, ...] = ()
    layers: tuple[ShippedFile, ...] = ()
    rules: tuple[ShippedFile, ...] = ()
    hunt: HuntRequest | None = None


class Opening(msgspec.Struct, frozen=True, tag="opening"):
    """Asks to open a session; `dropped` are variables of the Dask worker that its processes must not have."""

    session: Session
    dropped: tuple[str, ...] = ()


class BatchMessage(msgspec.Struct, frozen=True, tag="batch"):
    """Asks to run a batch."""

    request: BatchRequest


class CallsMessage(msgspec.Struct, frozen=True, tag="calls"):
    """Asks to try the calls of a Python program on each side."""

    jobs: tuple[tuple[Job, ...], ...]


class HuntMessage(msgspec.Struct, frozen=True, tag="hunt"):
    """Asks to search some operators for so many seconds; `recorded` has the cases to try first, by operator."""

    operators: tuple[str, ...]
    seconds: float
    recorded: dict[str, tuple[Case, ...]] = {}


class SessionOpened(msgspec.Struct, frozen=True, tag="opened"):
    """A session is open: the record of each side's machine, and notices of what disturbs measurements there."""

    machines: tuple[Machine, ...]
    notices: tuple[str, ...] = ()


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
    """The machine's measuring process ended in the middle of a batch, for this reason."""

    reason: str


Request: TypeAlias = Opening | BatchMessage | CallsMessage | HuntMessage
Answer: TypeAlias = SessionOpened | BatchDone | HuntDone | CallsTried | MachineRefused | CutOff


class Reply(msgspec.Struct, frozen=True):
    """An answer with the Dask address of the worker and the name of the host that gave it."""

    address: str
    host: str
    answer: Answer


request_decoder: msgspec.msgpack.Decoder[tuple[int, Request]] = msgspec.msgpack.Decoder(tuple[int, Request])
answer_decoder: msgspec.msgpack.Decoder[tuple[int, Answer]] = msgspec.msgpack.Decoder(tuple[int, Answer])
