"""Arrays made from nothing by the front end's functions."""

from __future__ import annotations

from functools import partial

from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark, benchmark


def _of_shape(name: str, *values: float) -> FrontEndBenchmark:
    arguments = ", ".join(["shape", *map(str, values)])
    return benchmark(
        f"nd_{name}", f"mx.nd.{name}({arguments})", lambda mx, x: partial(getattr(mx.nd, name), x.shape, *values)
    )


BENCHMARKS = (
    _of_shape("empty"),
    _of_shape("zeros"),
    _of_shape("ones"),
    _of_shape("full", 2.0),
    benchmark("nd_zeros_like", "mx.nd.zeros_like(x)", lambda mx, x: partial(mx.nd.zeros_like, x)),
    benchmark("nd_ones_like", "mx.nd.ones_like(x)", lambda mx, x: partial(mx.nd.ones_like, x)),
    benchmark("nd_arange", "mx.nd.arange(size)", lambda mx, x: partial(mx.nd.arange, x.size)),
    benchmark("nd_linspace", "mx.nd.linspace(0, 1, size)", lambda mx, x: partial(mx.nd.linspace, 0, 1, x.size)),
    benchmark("nd_eye", "mx.nd.eye(rows, columns)", lambda mx, x: partial(mx.nd.eye, *x.shape)),
    benchmark(
        "nd_array_of_list",
        "mx.nd.array(nested_list)",
        lambda mx, x: partial(mx.nd.array, x.asnumpy().tolist()),
        shapes={"small": (32, 32), "common": (256, 256)},
    ),
)
