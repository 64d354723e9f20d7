"""Data iterators and loaders: the next batch of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from autoperf.core.tensors import Shape
from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark, benchmark

SHAPES: Mapping[str, Shape] = {"small": (320, 32), "common": (1024, 256), "large": (1024, 4096)}
"""(items, features)."""
BATCH = 32
NextBatch = Callable[[], object]


def _cycle(iterator: Any) -> NextBatch:
    """The next batch; after the last one, the first of the next pass."""

    def next_batch() -> object:
        try:
            return iterator.next()
        except StopIteration:
            iterator.reset()
            return iterator.next()

    return next_batch


def _iterator(name: str, call: str, make: Callable[[Any, Any], Any]) -> FrontEndBenchmark:
    return benchmark(name, call, lambda mx, x: _cycle(make(mx, x)), shapes=SHAPES)


def _csv(mx: Any, x: Any) -> Any:
    """An iterator over a file in memory."""
    descriptor = os.memfd_create("autoperf-data")
    file = f"/proc/self/fd/{descriptor}"
    np.savetxt(file, x.asnumpy(), delimiter=",", fmt="%.6g")
    return mx.io.CSVIter(data_csv=file, data_shape=(x.shape[1],), batch_size=BATCH)


def _loader(mx: Any, x: Any, *, shuffle: bool) -> NextBatch:
    loader = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(x), batch_size=BATCH, shuffle=shuffle)

    def batches() -> Iterator[object]:
        while True:
            yield from loader

    return batches().__next__


BENCHMARKS = (
    _iterator(
        "io_NDArrayIter",
        "mx.io.NDArrayIter(x, batch_size=32).next()",
        lambda mx, x: mx.io.NDArrayIter(x, batch_size=BATCH),
    ),
    _iterator(
        "io_NDArrayIter_shuffle",
        "mx.io.NDArrayIter(x, batch_size=32, shuffle=True).next()",
        lambda mx, x: mx.io.NDArrayIter(x, batch_size=BATCH, shuffle=True),
    ),
    _iterator(
        "io_ResizeIter",
        "mx.io.ResizeIter(iterator, 10).next()",
        lambda mx, x: mx.io.ResizeIter(mx.io.NDArrayIter(x, batch_size=BATCH), 10),
    ),
    _iterator(
        "io_PrefetchingIter",
        "mx.io.PrefetchingIter(iterator).next()",
        lambda mx, x: mx.io.PrefetchingIter(mx.io.NDArrayIter(x, batch_size=BATCH)),
    ),
    _iterator("io_CSVIter", "mx.io.CSVIter(data_csv=file, data_shape=..., batch_size=32).next()", _csv),
    benchmark(
        "gluon_DataLoader",
        "next(iter(gluon.data.DataLoader(dataset, batch_size=32)))",
        lambda mx, x: _loader(mx, x, shuffle=False),
        shapes=SHAPES,
    ),
    benchmark(
        "gluon_DataLoader_shuffle",
        "next(iter(gluon.data.DataLoader(dataset, batch_size=32, shuffle=True)))",
        lambda mx, x: _loader(mx, x, shuffle=True),
        shapes=SHAPES,
    ),
)
