"""A network whose relu is fast alone and slow in the network, as outcomes made by hand."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from autoperf.core.modes import NETWORK
from autoperf.core.outcome import FigureWarning, Outcome, Pass
from tests.values import outcome, passed, stated

RELU, DENSE = "relu", "FullyConnected"


def ran(
    wall: float, kernels: Mapping[str, float], helpers: float = 0.0, warnings: tuple[FigureWarning, ...] = ()
) -> Pass:
    times = stated(sum(kernels.values())), stated(wall, warnings=warnings)
    return passed(*times, kernels=dict(kernels), helpers={"Reorder": helpers}, helpers_us=helpers)


def call(
    number: int, operator: str, each: float, count: int, network: str = "net", *, training: bool = False
) -> Outcome:
    run = ran(2 * each, {operator: each})
    made = outcome(number, run, run if training else None, operator=operator, profile=f"{operator}{number}_fwd")
    return msgspec.structs.replace(made, calls={network: count})


def whole(mode: str, run: Pass, network: str = "net", *, training: bool = False) -> Outcome:
    made = outcome(90, run, run if training else None, operator="_CachedOp", profile=mode, category=NETWORK)
    return msgspec.structs.replace(made, calls={network: 1})


CALLS = (call(0, RELU, 200.0, 4), call(1, DENSE, 700.0, 2), call(2, DENSE, 600.0, 1))
HYBRIDIZED = ran(11_000.0, {RELU: 7500.0, DENSE: 2000.0}, 500.0, (FigureWarning.SHORT,))
STATIC = ran(6000.0, {RELU: 3100.0, DENSE: 2100.0}, 100.0)
FUSED = ran(2500.0, {"_sg_mkldnn_fully_connected": 2200.0})


def network(name: str = "net", *, training: bool = False) -> list[Outcome]:
    """Relu takes 0.8 ms alone, 3.1 ms static and 7.5 ms hybridized; FullyConnected takes 2 ms everywhere."""
    calls = (
        call(number, each.operator, median, count, name, training=training)
        for number, (each, median, count) in enumerate(zip(CALLS, (200.0, 700.0, 600.0), (4, 2, 1), strict=True))
    )
    modes = (("hybridized", HYBRIDIZED), ("static", STATIC), ("fused", FUSED))
    return [*calls, *(whole(mode, run, name, training=training) for mode, run in modes)]
