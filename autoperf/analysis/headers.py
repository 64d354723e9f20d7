"""Differences between two runs and their machines that affect measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autoperf.core.load import is_busy
from autoperf.results.environment import Environment, Machine
from autoperf.results.run_reader import RunReader
from autoperf.results.runfile import RunHeader

HARMLESS = frozenset({"timeout", "memory_limit", "counters", "caller"})
"""Settings that limit or extend a measurement, but don't affect its figures."""
OWN_VARIABLES = ("AUTOPERF_CACHE", "AUTOPERF_MXNET")
ABSENT = "not set"


def differences(base: RunReader, new: RunReader) -> tuple[str, ...]:
    """A sentence for each difference in machine, versions and settings, and for a machine that was busy."""
    sentences = [
        f"{name}: base {base_value}, new {new_value}"
        for name, base_value, new_value in _compared_values(
            base.header, new.header, base.machines[0].environment, new.machines[0].environment
        )
        if base_value != new_value
    ]
    sentences += [text for side, run in (("base", base), ("new", new)) for text in _load(side, run.machines)]
    return tuple(sentences)


def _compared_values(
    base: RunHeader, new: RunHeader, base_environment: Environment, new_environment: Environment
) -> Iterator[tuple[str, Any, Any]]:
    yield "MXNet", base.mxnet, new.mxnet
    yield "machine", base_environment.machine, new_environment.machine
    yield "processor", base_environment.processor.model, new_environment.processor.model
    yield "usable processors", base_environment.processor.usable, new_environment.processor.usable
    yield "governors", _governors(base_environment), _governors(new_environment)
    yield "autoperf", base.autoperf, new.autoperf
    yield "method of measuring", base.method, new.method
    yield "Python", base_environment.python, new_environment.python
    yield "NumPy", base_environment.packages.get("numpy"), new_environment.packages.get("numpy")
    yield from _by_name(
        "", _without(base_environment.settings, OWN_VARIABLES), _without(new_environment.settings, OWN_VARIABLES)
    )
    yield from _by_name("MXNet's ", _devices(base_environment.mxnet), _devices(new_environment.mxnet))
    if base.mxnet == new.mxnet:
        yield from _by_name(
            "MXNet's feature ",
            base_environment.mxnet.get("features") or {},
            new_environment.mxnet.get("features") or {},
        )
    yield from _by_name("setting ", *(_without(_settings(header), HARMLESS) for header in (base, new)))


def _governors(environment: Environment) -> str:
    return ", ".join(environment.processor.governors) or "unknown"


def _load(side: str, machines: Sequence[Machine]) -> Iterator[str]:
    for machine in machines:
        load, usable = machine.environment.load[0], machine.environment.processor.usable
        if is_busy(load, usable):
            yield f"{side} began on a busy machine: load {load:.1f} on {usable} processors"


def has_time_budget(header: RunHeader) -> bool:
    """Whether the run had a time budget."""
    return _settings(header).get("time_budget") is not None


def _settings(header: RunHeader) -> dict[str, Any]:
    settings = header.options.get("settings")
    return settings if isinstance(settings, dict) else {}


def _devices(mxnet: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in mxnet.items() if name in ("threads", "gpus")}


def _without(settings: dict[str, Any], names: frozenset[str] | tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in names}


def _by_name(prefix: str, base: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in sorted({*base, *new}):
        yield f"{prefix}{name}", base.get(name, ABSENT), new.get(name, ABSENT)
