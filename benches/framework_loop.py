"""A plain loop over one call of a framework, in a process of its own: what `frameworks_accuracy.py` compares with.

    python benches/framework_loop.py FRAMEWORK EXPRESSION ARRAYS.npz GRADIENTS REFERENCE_US

It is run by the framework's own interpreter, and shares nothing with autoperf but the probe, which says whether a
stretch of calls was taken at the machine's reference speed. 25 calls or more warm up. Then calls are timed one after
the other on one processor; the first of a stretch doesn't count. Both passes are timed by a clock before and after,
with the wait for the results. Prints the medians in microseconds and the number of calls as JSON.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

import numpy as np

from autoperf.measurement.probe import Probe

WARM_CALLS, WARM_SECONDS = 25, 0.3
SECONDS, MAX_SECONDS = 0.4, 6.0
STRETCH_NS, MAX_STRETCH, MAX_CALLS, MIN_CALLS = 2_000_000, 20, 1000, 9
MAX_SLOWDOWN, MAX_WAIT = 1.15, 0.02


class Passes(NamedTuple):
    """Both passes of a call; each waits for its results. `end` frees what the call has made."""

    forward: Callable[[], Any]
    backward: Callable[[Any], Any] | None
    end: Callable[[], object] = lambda: None


def numpy_passes(expression: str, arrays: Mapping[str, Any], _gradients: bool) -> Passes:
    return Passes(_function(expression, {"np": np, **arrays}), None)


def torch_passes(expression: str, arrays: Mapping[str, Any], gradients: bool) -> Passes:
    import torch  # noqa: PLC0415 - other interpreters lack it

    tensors = {name: torch.from_numpy(array).requires_grad_(gradients) for name, array in arrays.items()}
    forward = _function(expression, {"torch": torch, **tensors})
    if not gradients:
        return Passes(forward, None)
    heads, inputs = torch.ones_like(forward()), tuple(tensors.values())
    return Passes(forward, lambda result: torch.autograd.grad(result, inputs, heads))


def jax_passes(expression: str, arrays: Mapping[str, Any], gradients: bool) -> Passes:
    import jax  # noqa: PLC0415 - other interpreters lack it

    given = tuple(map(jax.numpy.array, arrays.values()))
    function = eval(f"lambda {', '.join(arrays)}: {expression}", {"jax": jax, "jnp": jax.numpy})
    if not gradients:
        return Passes(lambda: jax.block_until_ready(function(*given)), None)
    heads = jax.numpy.ones_like(function(*given))

    def forward() -> Any:
        result, pull = jax.vjp(function, *given)
        jax.block_until_ready(result)
        return pull

    return Passes(forward, lambda pull: jax.block_until_ready(pull(heads)))


def mxnet_passes(expression: str, arrays: Mapping[str, Any], gradients: bool) -> Passes:
    from autoperf.backends.mxnet.backend import find_library  # noqa: PLC0415
    from autoperf.backends.mxnet.capi.front_end import front_end  # noqa: PLC0415 - likewise

    # The package as it is, with the names that later releases of NumPy have removed.
    mx = front_end(find_library())
    given = {name: mx.nd.array(array, dtype=array.dtype) for name, array in arrays.items()}
    call, wait = _function(expression, {"mx": mx, **given}), mx.nd.waitall
    if gradients:
        for array in given.values():
            array.attach_grad()
        mx.autograd.set_recording(True)
    heads = mx.nd.ones_like(call())

    def forward() -> Any:
        result = call()
        wait()
        return result

    def backward(result: Any) -> None:
        mx.autograd.backward([result], [heads])
        wait()

    return Passes(forward, backward if gradients else None, wait)


def _function(expression: str, scope: Mapping[str, Any]) -> Callable[[], Any]:
    made: Callable[[], Any] = eval(f"lambda: {expression}", dict(scope))
    return made


FRAMEWORKS = {"numpy": numpy_passes, "torch": torch_passes, "jax": jax_passes, "mxnet": mxnet_passes}


def calls(passes: Passes, count: int) -> list[tuple[int, int]]:
    """Nanoseconds of both passes of each call."""
    forward, backward, end = passes
    clock = time.perf_counter_ns
    times: list[tuple[int, int]] = []
    for _ in range(count):
        start = clock()
        result = forward()
        middle = again = last = clock()
        if backward:
            again = clock()
            made = backward(result)
            last = clock()
            del made
        times.append((middle - start, last - again))
        del result
        end()
    return times


def sampled(passes: Passes, limit_ns: float) -> list[tuple[int, int]]:
    """The calls of stretches at reference speed, in which the process had its processor."""
    probe, used = Probe(), calls(passes, WARM_CALLS)
    begin = time.monotonic()
    while time.monotonic() < begin + WARM_SECONDS:
        used = calls(passes, 1)
    count = max(1, min(MAX_STRETCH, STRETCH_NS // max(1, sum(used[-1]))))
    kept: list[tuple[int, int]] = []
    begin = time.monotonic()
    while len(kept) < MAX_CALLS:
        elapsed = time.monotonic() - begin
        if elapsed > MAX_SECONDS or (elapsed > SECONDS and len(kept) >= MIN_CALLS):
            break
        before = probe.read()
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        stretch = calls(passes, count + 1)[1:]
        wall = time.perf_counter_ns() - wall
        waited = wall - (time.process_time_ns() - cpu)
        if max(before, probe.read()) <= limit_ns and waited <= MAX_WAIT * wall:
            kept += stretch
    return kept


def main() -> None:
    framework, expression, path, gradients, reference = sys.argv[1:]
    # Before the framework starts its threads.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    passes = FRAMEWORKS[framework](expression, arrays, gradients == "gradients")
    print_medians(passes, float(reference))


def print_medians(passes: Passes, reference_us: float) -> NoReturn:
    """Times the calls, prints the answer, and ends the process, without what frameworks do at their end."""
    gc.disable()
    kept = sampled(passes, MAX_SLOWDOWN * reference_us * 1000)
    medians = [float(np.median([call[which] for call in kept])) / 1000 if kept else 0.0 for which in (0, 1)]
    print(json.dumps({"calls": len(kept), "us": medians}))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
