"""Where the headers of two runs differ in what changes figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autoperf.core.load import is_busy
from autoperf.results.environment import Environment
from autoperf.results.runfile import RunHeader

HARMLESS = frozenset({"timeout", "memory_limit"})
"""Settings that end a measurement, but don't change its figures."""
OWN = ("AUTOPERF_CACHE", "AUTOPERF_MXNET")
ABSENT = "not set"


def differences(base: RunHeader, new: RunHeader) -> tuple[str, ...]:
    """A sentence for each difference in machine, versions and settings, and for a machine that was busy."""
    told = [f"{what}: base {was}, new {now}" for what, was, now in _pairs(base, new) if was != now]
    told += [text for side, header in (("base", base), ("new", new)) for text in _load(side, header)]
    return tuple(told)


def _pairs(base: RunHeader, new: RunHeader) -> Iterator[tuple[str, Any, Any]]:
    was, now = base.environment, new.environment
    yield "MXNet", base.mxnet, new.mxnet
    yield "machine", was.machine, now.machine
    yield "processor", was.processor.model, now.processor.model
    yield "usable processors", was.processor.usable, now.processor.usable
    yield "governors", _governors(was), _governors(now)
    yield "autoperf", base.autoperf, new.autoperf
    yield "Python", was.python, now.python
    yield "NumPy", was.packages.get("numpy"), now.packages.get("numpy")
    yield from _each("", _without(was.settings, OWN), _without(now.settings, OWN))
    yield from _each("MXNet's ", _plain(was.mxnet), _plain(now.mxnet))
    if base.mxnet == new.mxnet:
        yield from _each("MXNet's feature ", was.mxnet.get("features") or {}, now.mxnet.get("features") or {})
    yield from _each("setting ", *(_without(_settings(header), HARMLESS) for header in (base, new)))


def _governors(environment: Environment) -> str:
    return ", ".join(environment.processor.governors) or "unknown"


def _load(side: str, header: RunHeader) -> Iterator[str]:
    load, usable = header.environment.load[0], header.environment.processor.usable
    if is_busy(load, usable):
        yield f"{side} began on a busy machine: load {load:.1f} on {usable} processors"


def _settings(header: RunHeader) -> dict[str, Any]:
    found = header.options.get("settings")
    return found if isinstance(found, dict) else {}


def _plain(mxnet: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in mxnet.items() if name in ("threads", "gpus")}


def _without(settings: dict[str, Any], names: frozenset[str] | tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in names}


def _each(prefix: str, was: dict[str, Any], now: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in sorted({*was, *now}):
        yield f"{prefix}{name}", was.get(name, ABSENT), now.get(name, ABSENT)
