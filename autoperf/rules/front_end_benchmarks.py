"""Benchmarks of MXNet's Python front end: calls of users that are no operators of the registry.

They stand in tuples, by kind. Nothing here imports MXNet: a benchmark gets the package from the process of its case.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

from autoperf.core.errors import RuleError
from autoperf.core.operator import FRONT_END_NAMESPACE, Operator, Role, TensorArgument, TensorKind
from autoperf.core.tensors import Constant, Integers, Mask, Probabilities, Shape
from autoperf.rules.rule import Draft, Inputs, InputSpec, Rule, top_level
from autoperf.rules.table import ELEMENTWISE_SHAPES, MATRIX_SHAPES, by_profile, drawn_size

Prepare: TypeAlias = Callable[..., Callable[[], object]]


def one(shape: Shape) -> Mapping[str, Draft]:
    """An array `x`."""
    return {"x": Draft(shape)}


def two(shape: Shape) -> Mapping[str, Draft]:
    """Two arrays of one shape, `x` and `y`."""
    return {"x": Draft(shape), "y": Draft(shape)}


@dataclass(frozen=True)
class Benchmark:
    """One call of the front end.

    `call` is the source that a user writes. `tensors` has the arrays of a size, by name. `prepare` gets the package
    `mxnet` and these arrays (`mx.nd.NDArray`), and returns the timed function, whose result is freed after each call.
    """

    name: str
    call: str
    prepare: Prepare
    tensors: Callable[[Shape], Mapping[str, Draft]] = one
    shapes: Mapping[str, Shape] = field(default_factory=lambda: ELEMENTWISE_SHAPES)

    @property
    def operator(self) -> Operator:
        """The operator that stands for the benchmark in selections, measurements and reports."""
        names = self.tensors(next(iter(self.shapes.values())))
        tensors = tuple(TensorArgument(name, TensorKind.SINGLE) for name in names)
        return Operator(self.name, Role.FORWARD, FRONT_END_NAMESPACE, description=self.call, tensors=tensors)

    def rule(self) -> Rule:
        """The rule that makes its inputs."""
        module = self.prepare.__module__.removeprefix("autoperf.").replace(".", "/")
        calls = {profile: self._inputs(shape) for profile, shape in self.shapes.items()}
        source = f"{module}.py:{self.name}"
        return Rule((self.name,), FRONT_END_NAMESPACE, lambda _spec: calls, self._draw, source, inferable=False)

    def _draw(self, draw: st.DrawFn, spec: InputSpec) -> Inputs:
        """Each extent between the smallest and the largest canonical one, within the limit of elements."""
        return self._inputs(drawn_size(draw, self.shapes.values(), spec.elements))

    def _inputs(self, shape: Shape) -> Inputs:
        return Inputs(self.tensors(shape), way="front_end")


def is_before_numpy(mx: Any) -> bool:
    """From 2.0 on, loaders, image functions and metrics take arrays of `mx.np`, and optimizers lists."""
    return int(mx.__version__.partition(".")[0]) < 2


def of_release(mx: Any, array: Any) -> Any:
    """An array of `mx.nd` as loaders, image functions and metrics of this release take it."""
    return array if is_before_numpy(mx) else array.as_np_ndarray()


@cache
def front_end_benchmarks_by_name() -> dict[str, Benchmark]:
    """Every benchmark by its name. Raises RuleError for two of one name."""
    by_name: dict[str, Benchmark] = {}
    for entry in top_level(sys.modules[__name__]):
        if isinstance(entry, Benchmark) and by_name.setdefault(entry.name, entry) is not entry:
            raise RuleError(f"two front-end benchmarks are called {entry.name}; keep one")
    return by_name


ITEM_SHAPES: Mapping[str, Shape] = {"small": (320, 32), "common": (1024, 256), "large": (1024, 4096)}
"""(items, features)."""
BATCH = 32
NextBatch = Callable[[], object]


def _iterator(name: str, call: str, make: Callable[[Any, Any], Any]) -> Benchmark:
    def prepare(mx: Any, x: Any) -> NextBatch:
        iterator = make(mx, x)

        def next_batch() -> object:
            try:
                return iterator.next()
            except StopIteration:
                iterator.reset()
                return iterator.next()

        return next_batch

    return Benchmark(f"io_{name}", f"mx.io.{call}.next()", prepare, shapes=ITEM_SHAPES)


def _csv(mx: Any, x: Any) -> Any:
    descriptor = os.memfd_create("autoperf-data")
    file = f"/proc/self/fd/{descriptor}"
    np.savetxt(file, x.asnumpy(), delimiter=",", fmt="%.6g")
    return mx.io.CSVIter(data_csv=file, data_shape=(x.shape[1],), batch_size=BATCH)


def _loader(mx: Any, x: Any, *, shuffle: bool) -> NextBatch:
    dataset = mx.gluon.data.ArrayDataset(of_release(mx, x))
    loader = mx.gluon.data.DataLoader(dataset, batch_size=BATCH, shuffle=shuffle)

    def batches() -> Iterator[object]:
        while True:
            yield from loader

    return batches().__next__


def _batches(mx: Any, x: Any, **options: object) -> Any:
    return mx.io.NDArrayIter(x, batch_size=BATCH, **options)


ITERATORS = (
    _iterator("NDArrayIter", "NDArrayIter(x, batch_size=32)", _batches),
    _iterator("NDArrayIter_shuffle", "NDArrayIter(x, batch_size=32, shuffle=True)", partial(_batches, shuffle=True)),
    _iterator("ResizeIter", "ResizeIter(iterator, 10)", lambda mx, x: mx.io.ResizeIter(_batches(mx, x), 10)),
    _iterator("PrefetchingIter", "PrefetchingIter(iterator)", lambda mx, x: mx.io.PrefetchingIter(_batches(mx, x))),
    _iterator("CSVIter", "CSVIter(data_csv=file, data_shape=..., batch_size=32)", _csv),
    *(
        Benchmark(
            f"gluon_DataLoader{suffix}",
            f"next(iter(gluon.data.DataLoader(dataset, batch_size=32{option})))",
            lambda mx, x, shuffle=bool(option): _loader(mx, x, shuffle=shuffle),
            shapes=ITEM_SHAPES,
        )
        for suffix, option in (("", ""), ("_shuffle", ", shuffle=True"))
    ),
)

PICTURE_SHAPES: Mapping[str, Shape] = by_profile((64, 64, 3), (256, 256, 3), (512, 512, 3), (64, 512, 3))
"""(height, width, channels)."""
SIDE = 32
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def _image(name: str, call: str, prepare: Prepare) -> Benchmark:
    return _legacy_image(name, call, lambda mx, image: prepare(mx, of_release(mx, image)))


def _legacy_image(name: str, call: str, prepare: Prepare) -> Benchmark:
    """A benchmark that takes an image of `mx.nd` in every release."""
    return Benchmark(
        name, call, prepare, lambda shape: {"image": Draft(shape, "uint8", Integers(0, 256))}, PICTURE_SHAPES
    )


def _normalize(mx: Any, image: Any) -> Callable[[], object]:
    mean, std = (of_release(mx, mx.nd.array(values)) for values in (MEAN, STD))
    return partial(mx.image.color_normalize, image.astype("float32"), mean, std)


def _augmenters(mx: Any, image: Any) -> Callable[[], object]:
    """The augmentations that an image record iterator applies in training; their flip is an operator of `mx.nd`."""
    augmenters = mx.image.CreateAugmenter((3, SIDE, SIDE), rand_crop=True, rand_mirror=True, mean=True, std=True)

    def apply() -> object:
        result = image
        for augmenter in augmenters:
            result = augmenter(result)
        return result

    return apply


def _function(name: str, *arguments: Any, written: str = "") -> Benchmark:
    call = f"mx.image.{name}(image, {written or ', '.join(map(repr, arguments))})"
    return _image(f"image_{name}", call, lambda mx, image: partial(getattr(mx.image, name), image, *arguments))


def _transform(name: str, *arguments: Any) -> Benchmark:
    written = ", ".join(map(repr, arguments))

    def prepare(mx: Any, image: Any) -> Callable[[], object]:
        return partial(getattr(mx.gluon.data.vision.transforms, name)(*arguments), image)

    return _image(f"transforms_{name}", f"gluon.data.vision.transforms.{name}({written})(image)", prepare)


def _normalized(mx: Any, image: Any) -> Callable[[], object]:
    transforms = mx.gluon.data.vision.transforms
    return partial(transforms.Normalize(MEAN, STD), transforms.ToTensor()(image))


IMAGES = (
    _function("imresize", SIDE, SIDE),
    _function("resize_short", SIDE),
    _function("fixed_crop", 0, 0, SIDE, SIDE),
    _function("center_crop", (SIDE, SIDE)),
    _function("random_crop", (SIDE, SIDE)),
    _function("random_size_crop", (SIDE, SIDE), (0.1, 1.0), (0.75, 1.33), written="(32, 32), area, ratio"),
    _image("image_color_normalize", "mx.image.color_normalize(image, mean, std)", _normalize),
    _legacy_image("image_CreateAugmenter", "each of mx.image.CreateAugmenter(...)", _augmenters),
    _transform("ToTensor"),
    _transform("Resize", SIDE),
    _transform("CenterCrop", SIDE),
    _transform("RandomResizedCrop", SIDE),
    _transform("RandomFlipLeftRight"),
    _transform("RandomBrightness", 0.5),
    _transform("RandomColorJitter", 0.5, 0.5, 0.5),
    _image("transforms_Normalize", "gluon.data.vision.transforms.Normalize(mean, std)(image)", _normalized),
)

IMAGE_SHAPES: Mapping[str, Shape] = {"small": (8, 8, 3, 3), "common": (64, 64, 3, 3), "large": (512, 256, 3, 3)}


def _initializer(
    name: str, *arguments: float, shapes: Mapping[str, Shape] = MATRIX_SHAPES, of: str = "weight"
) -> Benchmark:
    def prepare(mx: Any, x: Any) -> Callable[[], object]:
        return partial(getattr(mx.init, name)(*arguments), mx.init.InitDesc(of), x)

    written = ", ".join(map(str, arguments))
    return Benchmark(f"init_{name}", f'mx.init.{name}({written})("{of}", x)', prepare, shapes=shapes)


INITIALIZERS = (
    _initializer("Zero"),
    _initializer("One"),
    _initializer("Constant", 0.5),
    _initializer("Uniform"),
    _initializer("Normal"),
    _initializer("Orthogonal", shapes={"small": (32, 32), "common": (256, 256), "large": (512, 512)}),
    _initializer("Xavier", shapes=IMAGE_SHAPES),
    _initializer("MSRAPrelu", shapes=IMAGE_SHAPES),
    _initializer("Bilinear", shapes={"small": (8, 8, 3, 3), "common": (16, 16, 3, 3), "large": (64, 64, 3, 3)}),
    _initializer("LSTMBias", shapes={"small": (64,), "common": (1024,), "large": (65_536,)}, of="bias"),
)

WEIGHT_SHAPES: Mapping[str, Shape] = {"small": (32, 32), "common": (256, 256), "large": (1024, 1024)}
# So small that the weights stay as they are, however often a step is repeated; some optimizers refuse zero.
RATE = 1e-9
NAMES = (
    *("SGD", "NAG", "Signum", "SGLD", "DCASGD", "FTML", "Ftrl", "Adam", "Adamax", "Nadam", "AdaGrad", "AdaDelta"),
    *("RMSProp", "LAMB", "LARS"),
)


def _step(name: str, arguments: Mapping[str, object]) -> Benchmark:
    def prepare(mx: Any, weight: Any, grad: Any) -> Callable[[], object]:
        optimizer = getattr(mx.optimizer, name)(learning_rate=RATE, **arguments)
        state = optimizer.create_state(0, weight)
        if is_before_numpy(mx):
            return partial(optimizer.update, 0, weight, grad, state)
        return partial(optimizer.update, [0], [weight], [grad], [state])

    written = "".join(f", {key}={value}" for key, value in arguments.items())
    kind = "".join(f"_{key}" for key in arguments)
    call = f"mx.optimizer.{name}(learning_rate={RATE}{written}).update(0, weight, grad, state)"
    return Benchmark(
        f"optimizer_{name}{kind}",
        call,
        prepare,
        lambda shape: {"weight": Draft(shape), "grad": Draft(shape)},
        WEIGHT_SHAPES,
    )


OPTIMIZERS = (*(_step(name, {}) for name in NAMES), _step("SGD", {"momentum": 0.9}))

CLASSES_SHAPES: Mapping[str, Shape] = by_profile((32, 10), (128, 1000), (1024, 1000), (10_000, 2))
"""(batch, classes)."""
BINARY_SHAPES: Mapping[str, Shape] = {"small": (32, 2), "common": (1024, 2), "large": (65_536, 2)}


def _metric(name: str, shapes: Mapping[str, Shape] | None = CLASSES_SHAPES, **arguments: object) -> Benchmark:
    def tensors(shape: Shape) -> Mapping[str, Draft]:
        if shapes is None:
            return {"label": Draft(shape), "prediction": Draft(shape)}
        classes = Draft(shape[:1], content=Integers(0, shape[1]))
        return {"label": classes, "prediction": Draft(shape, content=Probabilities())}

    def prepare(mx: Any, label: Any, prediction: Any) -> Callable[[], object]:
        # 2.0 has them in gluon.
        module = mx.metric if hasattr(mx, "metric") else mx.gluon.metric
        update = getattr(module, name)(**arguments).update
        return partial(update, [of_release(mx, label)], [of_release(mx, prediction)])

    written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    call = f"mx.metric.{name}({written}).update([label], [prediction])"
    return Benchmark(f"metric_{name}", call, prepare, tensors, ELEMENTWISE_SHAPES if shapes is None else shapes)


METRICS = (
    _metric("Accuracy"),
    _metric("TopKAccuracy", top_k=5, shapes={**CLASSES_SHAPES, "skewed": (10_000, 6)}),
    _metric("CrossEntropy"),
    _metric("NegativeLogLikelihood"),
    _metric("Perplexity", ignore_label=None),
    _metric("F1", BINARY_SHAPES),
    _metric("MCC", BINARY_SHAPES),
    *(_metric(name, None) for name in ("MAE", "MSE", "RMSE", "PearsonCorrelation", "Loss")),
)


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


def _sparse(name: str, call: str, prepare: Prepare) -> Benchmark:
    return Benchmark(name, call, prepare, lambda shape: {"x": Draft(shape, content=Mask(0.05))}, WEIGHT_SHAPES)


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


def _rows(mx: Any, x: Any) -> Any:
    return mx.nd.arange(0, x.shape[0], 2, dtype="int32")


def _read_by_mask(mx: Any, x: Any) -> Callable[[], object]:
    """Reads rows of a NumPy array, with the shapes of NumPy, as its users do; the next case sets its own semantics."""
    mx.npx.set_np(array=False)
    return partial(operator.getitem, x.as_np_ndarray(), mx.np.arange(x.shape[0]) % 2 == 0)


# The key as a user writes it, and the function that makes it from the package and the array.
KEYS: Mapping[str, tuple[str, Callable[[Any, Any], Any]]] = {
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
