"""The JSON of `autoperf history`, as its schema publishes it: each table is a list of records."""

from __future__ import annotations

from typing import Literal

import msgspec

from autoperf.history.steps import Evidence


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A record without other fields."""


class Run(Record, frozen=True, kw_only=True):
    """A run of `history list`, by its number in the history; `control` is the number of the run beside it."""

    run: int
    date: str
    release: str
    revision: str
    machine: str
    file: str
    results: int
    control: int | None


class Series(Record, frozen=True, kw_only=True):
    """A series of `history show`: microseconds or counts by run, null without a measurement, and its steps in words."""

    operator: str
    profile: str
    case: str
    inputs: str
    figure: str
    release: str
    runs: int
    lowest_us: float
    median_us: float
    last_us: float
    steps: str
    values: list[float | None]


class Change(Record, frozen=True, kw_only=True):
    """A change: `ratio` is after / before, `low` and `high` its interval, `weekly` a drift's ratio a week.

    `machine_ratio` is the machine's part, which isn't in the ratio; null where less than 0.5% was subtracted. The times
    are as measured, and null of all figures together.
    """

    operator: str
    profile: str
    case: str
    inputs: str
    figure: str
    evidence: Evidence
    before_us: float | None
    after_us: float | None
    ratio: float
    low: float
    high: float
    run: int
    date: str
    revision: str
    build: str | None
    changed: str
    decided: str
    weekly: float | None
    machine_ratio: float | None


class CommonChange(Record, frozen=True, kw_only=True):
    """Everything is slower or faster since a run, beside the machine's part by the control."""

    ratio: float
    low: float
    high: float
    machine_ratio: float
    run: int
    date: str
    decided: str


class Suspect(Change, frozen=True, kw_only=True, tag=False):
    """A measurement that differs in the last night, which is no step yet."""

    evidence: Literal["last run"]


class Unjudged(Record, frozen=True, kw_only=True):
    """A series that can't be judged yet, and why."""

    operator: str
    profile: str
    case: str
    inputs: str
    figure: str
    release: str
    reason: str


class Result(Record, frozen=True, kw_only=True):
    """A case that computes something else since a run."""

    operator: str
    profile: str
    case: str
    inputs: str
    difference: str
    run: int
    date: str
    revision: str
    build: str | None
    changed: str


class HistoryDocument(Record, frozen=True, kw_only=True):
    """The tables of `history list`, `history show` or `history changes`."""

    runs: list[Run] | msgspec.UnsetType = msgspec.UNSET
    series: list[Series] | msgspec.UnsetType = msgspec.UNSET
    results: list[Result] | msgspec.UnsetType = msgspec.UNSET
    common: list[CommonChange] | msgspec.UnsetType = msgspec.UNSET
    suspects: list[Suspect] | msgspec.UnsetType = msgspec.UNSET
    unjudged: list[Unjudged] | msgspec.UnsetType = msgspec.UNSET
    changes: list[Change] | msgspec.UnsetType = msgspec.UNSET
