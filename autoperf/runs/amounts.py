"""The amounts in a run file beside its times: bytes, operations, calls and rates that no machine has are refused."""

from __future__ import annotations

from collections.abc import Iterable

from autoperf.core.outcome import Outcome
from autoperf.core.work import Work
from autoperf.runs.environment import Machine

MAX_BYTES = 2.0**63
MAX_CALLS = 1e15
# Bytes or operations a second; bytes, elements or operations of a pass.
MAX_WORK = 1e24
# A century.
MAX_SECONDS = 3.2e9
_LARGEST = 1e300


def check_amounts(outcome: Outcome) -> None:
    """Raises ValueError for impossible seconds, memory, work or numbers of calls."""
    _check_within("seconds", [outcome.seconds], 0, MAX_SECONDS)
    for memory in (outcome.memory.forward, outcome.memory.backward) if outcome.memory else ():
        if memory:
            # What is left of a peak beside the outputs may be less than nothing.
            _check_within("memory", [memory.peak, memory.output, memory.workspace], -MAX_BYTES, MAX_BYTES)
    for work in (outcome.work, outcome.backward_work):
        if isinstance(work, Work):
            _check_within("work", [work.bytes_in, work.bytes_out, work.elements, work.flops], 0, MAX_WORK)
    _check_within("calls", [*(outcome.calls or {}).values(), *(outcome.network_calls or {}).values()], 0, MAX_CALLS)


def check_machine(machine: Machine) -> None:
    """Raises ValueError for impossible memory, or an impossible roofline."""
    _check_within("memory_total", [machine.environment.memory_total], 0, MAX_BYTES)
    if roofline := machine.roofline or None:
        rates = [roofline.bandwidth, roofline.cached_bandwidth, *roofline.flops.values()]
        _check_within("rates of the roofline", rates, 1, MAX_WORK)
        _check_within("cache_bytes", [roofline.cache_bytes], 0, MAX_BYTES)
        _check_within("processors of the roofline", [roofline.processors, roofline.load], 0, MAX_BYTES)


def _check_within(name: str, values: Iterable[float], least: float, most: float) -> None:
    for value in values:
        if not least <= value <= most:
            # A whole number may have too many digits for a float.
            shown = f"{value:g}" if abs(value) <= _LARGEST else f"beyond {_LARGEST:g}"
            raise ValueError(f"invalid {name} {shown}: expected from {least:g} to {most:g}")
