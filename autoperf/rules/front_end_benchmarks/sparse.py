"""Sparse arrays: made, read and converted by the front end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoperf.core.tensors import Mask, Shape
from autoperf.rules.front_end_benchmarks.benchmark import FrontEndBenchmark, benchmark
from autoperf.rules.rule import Draft

SHAPES: Mapping[str, Shape] = {"small": (32, 32), "common": (256, 256), "large": (1024, 1024)}
SHARE = 0.05


def _sparse(name: str, call: str, prepare: Callable[..., Callable[[], object]]) -> FrontEndBenchmark:
    """A benchmark of an array of which one element in twenty is not zero."""
    return benchmark(name, call, prepare, lambda shape: {"x": Draft(shape, content=Mask(SHARE))}, SHAPES)


def _csr_matrix(mx: Any, x: Any) -> Callable[[], object]:
    matrix = x.tostype("csr")
    parts = tuple(part.asnumpy() for part in (matrix.data, matrix.indices, matrix.indptr))
    return partial(mx.nd.sparse.csr_matrix, parts, shape=x.shape)


def _row_sparse_array(mx: Any, x: Any) -> Callable[[], object]:
    array = x.tostype("row_sparse")
    parts = (array.data.asnumpy(), array.indices.asnumpy())
    return partial(mx.nd.sparse.row_sparse_array, parts, shape=x.shape)


def _rows_of_csr(mx: Any, x: Any) -> Callable[[], object]:
    matrix = x.tostype("csr")
    return lambda: matrix[1:-1]


def _retain(mx: Any, x: Any) -> Callable[[], object]:
    array, rows = x.tostype("row_sparse"), mx.nd.arange(0, x.shape[0], 2)
    return partial(mx.nd.sparse.retain, array, rows)


BENCHMARKS = (
    _sparse("sparse_csr_matrix", "mx.nd.sparse.csr_matrix((data, indices, indptr), shape)", _csr_matrix),
    _sparse("sparse_row_sparse_array", "mx.nd.sparse.row_sparse_array((data, indices), shape)", _row_sparse_array),
    _sparse(
        "sparse_zeros", 'mx.nd.sparse.zeros("csr", shape)', lambda mx, x: partial(mx.nd.sparse.zeros, "csr", x.shape)
    ),
    _sparse("CSRNDArray_asnumpy", "x.asnumpy()  (csr)", lambda mx, x: x.tostype("csr").asnumpy),
    _sparse("CSRNDArray_asscipy", "x.asscipy()  (csr)", lambda mx, x: x.tostype("csr").asscipy),
    _sparse("CSRNDArray_getitem_slice", "x[1:-1]  (csr)", _rows_of_csr),
    _sparse(
        "CSRNDArray_tostype_default",
        'x.tostype("default")  (csr)',
        lambda mx, x: partial(x.tostype("csr").tostype, "default"),
    ),
    _sparse("RowSparseNDArray_asnumpy", "x.asnumpy()  (row_sparse)", lambda mx, x: x.tostype("row_sparse").asnumpy),
    _sparse("RowSparseNDArray_retain", "mx.nd.sparse.retain(x, rows)", _retain),
)
