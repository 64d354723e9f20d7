"""Copies, conversions and what brings data into MXNet and out of it."""

from __future__ import annotations

from functools import partial

from autoperf.core.tensors import Mask
from autoperf.rules.front_end_benchmarks.benchmark import benchmark, two
from autoperf.rules.rule import Draft

SPARSE_SHAPES = {"small": (32, 32), "common": (256, 256), "large": (1024, 1024)}
SPARSE_SHARE = 0.05

BENCHMARKS = (
    benchmark("NDArray_copy", "x.copy()", lambda mx, x: x.copy),
    benchmark("NDArray_copyto", "x.copyto(y)", lambda mx, x, y: partial(x.copyto, y), two),
    # Of the context that it has already an array is returned as it is, so this goes to another one.
    benchmark("NDArray_as_in_context", "x.as_in_context(mx.cpu(1))", lambda mx, x: partial(x.as_in_context, mx.cpu(1))),
    benchmark("NDArray_asnumpy", "x.asnumpy()", lambda mx, x: x.asnumpy),
    benchmark("NDArray_asscalar", "x.asscalar()", lambda mx, x: x.asscalar, shapes={"common": (1,)}),
    benchmark("NDArray_astype", 'x.astype("float16")', lambda mx, x: partial(x.astype, "float16")),
    benchmark("nd_array", "mx.nd.array(numpy_array)", lambda mx, x: partial(mx.nd.array, x.asnumpy())),
    benchmark(
        "nd_from_numpy",
        "mx.nd.from_numpy(numpy_array, zero_copy=False)",
        lambda mx, x: partial(mx.nd.from_numpy, x.asnumpy(), zero_copy=False),
    ),
    benchmark("NDArray_to_dlpack", "x.to_dlpack_for_read()", lambda mx, x: x.to_dlpack_for_read),
    *(
        benchmark(
            f"NDArray_tostype_{storage}",
            f'x.tostype("{storage}")',
            lambda mx, x, storage=storage: partial(x.tostype, storage),
            lambda shape: {"x": Draft(shape, content=Mask(SPARSE_SHARE))},
            SPARSE_SHAPES,
        )
        for storage in ("csr", "row_sparse")
    ),
)
