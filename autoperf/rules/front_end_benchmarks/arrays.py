"""Arrays in the front end: created, copied, indexed, changed in place, and sparse."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autoperf.core.tensors import Constant, Mask, Shape
from autoperf.rules.front_end_benchmarks.benchmark import Benchmark, one, two
from autoperf.rules.rule import Draft
from autoperf.rules.table import MATRIX_SHAPES


def _of_shape(name: str, *values: float) -> Benchmark:
    arguments = ", ".join(["shape", *map(str, values)])
    return Benchmark(
        f"nd_{name}", f"mx.nd.{name}({arguments})", lambda mx, x: partial(getattr(mx.nd, name), x.shape, *values)
    )


CREATION = (
    _of_shape("empty"),
    _of_shape("zeros"),
    _of_shape("ones"),
    _of_shape("full", 2.0),
    Benchmark("nd_zeros_like", "mx.nd.zeros_like(x)", lambda mx, x: partial(mx.nd.zeros_like, x)),
    Benchmark("nd_ones_like", "mx.nd.ones_like(x)", lambda mx, x: partial(mx.nd.ones_like, x)),
    Benchmark("nd_arange", "mx.nd.arange(size)", lambda mx, x: partial(mx.nd.arange, x.size)),
    Benchmark("nd_linspace", "mx.nd.linspace(0, 1, size)", lambda mx, x: partial(mx.nd.linspace, 0, 1, x.size)),
    Benchmark("nd_eye", "mx.nd.eye(rows, columns)", lambda mx, x: partial(mx.nd.eye, *x.shape)),
    Benchmark(
        "nd_array_of_list",
        "mx.nd.array(nested_list)",
        lambda mx, x: partial(mx.nd.array, x.asnumpy().tolist()),
        shapes={"small": (32, 32), "common": (256, 256)},
    ),
)


SPARSE_SHAPES: Mapping[str, Shape] = {"small": (32, 32), "common": (256, 256), "large": (1024, 1024)}
SPARSE_SHARE = 0.05


def _sparse(name: str, call: str, prepare: Callable[..., Callable[[], object]]) -> Benchmark:
    """A benchmark of an array of which one element in twenty is not zero."""
    return Benchmark(name, call, prepare, lambda shape: {"x": Draft(shape, content=Mask(SPARSE_SHARE))}, SPARSE_SHAPES)


COPIES = (
    Benchmark("NDArray_copy", "x.copy()", lambda mx, x: x.copy),
    Benchmark("NDArray_copyto", "x.copyto(y)", lambda mx, x, y: partial(x.copyto, y), two),
    # In the array's own context, the same array is returned; so this goes to another context.
    Benchmark("NDArray_as_in_context", "x.as_in_context(mx.cpu(1))", lambda mx, x: partial(x.as_in_context, mx.cpu(1))),
    Benchmark("NDArray_asnumpy", "x.asnumpy()", lambda mx, x: x.asnumpy),
    Benchmark("NDArray_asscalar", "x.asscalar()", lambda mx, x: x.asscalar, shapes={"common": (1,)}),
    Benchmark("NDArray_astype", 'x.astype("float16")', lambda mx, x: partial(x.astype, "float16")),
    Benchmark("nd_array", "mx.nd.array(numpy_array)", lambda mx, x: partial(mx.nd.array, x.asnumpy())),
    Benchmark(
        "nd_from_numpy",
        "mx.nd.from_numpy(numpy_array, zero_copy=False)",
        lambda mx, x: partial(mx.nd.from_numpy, x.asnumpy(), zero_copy=False),
    ),
    Benchmark("NDArray_to_dlpack", "x.to_dlpack_for_read()", lambda mx, x: x.to_dlpack_for_read),
    *(
        _sparse(
            f"NDArray_tostype_{storage}",
            f'x.tostype("{storage}")',
            lambda mx, x, storage=storage: partial(x.tostype, storage),
        )
        for storage in ("csr", "row_sparse")
    ),
)


Key = Callable[[Any, Any], Any]


def _rows(mx: Any, x: Any) -> Any:
    """Every other row, as whole numbers."""
    return mx.nd.arange(0, x.shape[0], 2, dtype="int32")


def _read_by_mask(mx: Any, x: Any) -> Callable[[], object]:
    """Reads rows of a NumPy array, with the shapes of NumPy, as its users do; the next case sets its own semantics."""
    mx.npx.set_np(array=False)
    return partial(operator.getitem, x.as_np_ndarray(), mx.np.arange(x.shape[0]) % 2 == 0)


# The key as a user writes it, and the function that makes it from the package and the array.
KEYS: Mapping[str, tuple[str, Key]] = {
    "int": ("1", lambda mx, x: x.shape[0] // 2),
    "slice": ("1:-1", lambda mx, x: slice(1, -1)),
    "step": ("::2", lambda mx, x: slice(None, None, 2)),
    "reverse": ("::-1", lambda mx, x: slice(None, None, -1)),
    "all": (":", lambda mx, x: slice(None)),
    "ellipsis": ("..., 0", lambda mx, x: (Ellipsis, 0)),
    "newaxis": ("None", lambda mx, x: None),
    "tuple": ("1, 2", lambda mx, x: (x.shape[0] // 2, x.shape[1] // 2)),
    "slices": ("1:-1, ::2", lambda mx, x: (slice(1, -1), slice(None, None, 2))),
    "list": ("[0, 1, 2]", lambda mx, x: [0, 1, 2]),
    "array": ("rows", _rows),
    "arrays": ("rows, rows", lambda mx, x: (mx.nd.arange(4, dtype="int32"), mx.nd.arange(4, dtype="int32"))),
    "mixed": ("rows, 1:-1", lambda mx, x: (_rows(mx, x), slice(1, -1))),
}


def _get(kind: str) -> Benchmark:
    written, key = KEYS[kind]
    prepare = lambda mx, x: partial(operator.getitem, x, key(mx, x))  # noqa: E731
    return Benchmark(f"NDArray_getitem_{kind}", f"x[{written}]", prepare, shapes=MATRIX_SHAPES)


def _set(kind: str, assigned: str, value: Callable[[Any, Any], Any], suffix: str) -> Benchmark:
    written, key = KEYS[kind]

    def prepare(mx: Any, x: Any) -> Callable[[], object]:
        place = key(mx, x)
        return partial(operator.setitem, x, place, value(x, place))

    return Benchmark(f"NDArray_setitem_{kind}{suffix}", f"x[{written}] = {assigned}", prepare, shapes=MATRIX_SHAPES)


INDEXING = (
    *map(_get, KEYS),
    *(_set(kind, "1.0", lambda x, key: 1.0, "") for kind in KEYS),
    *(_set(kind, "y", lambda x, key: x[key].copy(), "_array") for kind in KEYS if kind != "newaxis"),
    Benchmark("np_getitem_mask", "x[x.sum(axis=1) > 0]  (mx.np)", _read_by_mask, shapes=MATRIX_SHAPES),
)


# Every call changes x. With these operands it stays in range: x doesn't grow, and gets no denormal number, which
# processors compute slowly.
OPERANDS: Mapping[str, tuple[str, Callable[[Any, Any], Any], float]] = {
    "iadd": ("+=", operator.iadd, 0.0),
    "isub": ("-=", operator.isub, 0.0),
    "imul": ("*=", operator.imul, 1.0),
    "itruediv": ("/=", operator.itruediv, 1.0),
    "imod": ("%=", operator.imod, 2.0),
}


def _with_array(name: str) -> Benchmark:
    sign, function, operand = OPERANDS[name]

    def tensors(shape: Shape) -> Mapping[str, Draft]:
        return {"x": Draft(shape), "y": Draft(shape, content=Constant(operand))}

    return Benchmark(f"NDArray_{name}", f"x {sign} y", lambda mx, x, y: partial(function, x, y), tensors)


def _with_number(name: str) -> Benchmark:
    sign, function, operand = OPERANDS[name]
    call = f"x {sign} {operand}"
    return Benchmark(f"NDArray_{name}_number", call, lambda mx, x: partial(function, x, operand), one)


ARITHMETIC = (*map(_with_array, OPERANDS), *map(_with_number, OPERANDS))


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


SPARSE = (
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
