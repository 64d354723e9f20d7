"""The block of a layer of Gluon with its arrays, in a process that imports the front end."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from inspect import Parameter
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from autoperf.backends.contents import contents_of, differentiable_inputs
from autoperf.backends.mxnet.call import EngineCall, PackageInvocation, use_shape_semantics
from autoperf.backends.mxnet.capi.front_end import front_end, registered_operators
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import BorrowedArray
from autoperf.backends.protocol import Array
from autoperf.backends.user_code import user_attribute
from autoperf.core.case import Case, with_lists
from autoperf.core.errors import AbsentLayerError, EngineError, UsageError
from autoperf.core.graph import HYBRIDIZE, STATIC, STATIC_FLAGS, LayerPlace, missing_arguments
from autoperf.core.tensors import ArrayType, Shape, Storage

_NUMPY_SINCE = 2
_DEFAULT_DTYPE = "float32"
_DENSE = "default"
_WEIGHTS = (-0.07, 0.07)
"""The limits of weights and biases, those of Gluon's own default."""
_DRAWN = {"gamma": (0.5, 1.5), "running_var": (0.5, 1.5)}
"""The limits of parameters that divide or scale, by the ends of their names."""


class GluonBlock(EngineCall):
    """A layer's block, hybridized as the case says, with its arrays and gradients; `invoke` calls it."""

    invoke: PackageInvocation

    def __init__(
        self, library: Library, case: Case, layers: Mapping[str, LayerPlace], shapes: Sequence[Shape] = ()
    ) -> None:
        """Builds the block and initialises its parameters by the case's id; `layers` are the user's own.

        Parameters get these shapes; without shapes, those that layers deduce wait for the first call. Raises
        EngineError if there is no front end beside the library, and AbsentLayerError if it doesn't have the layer.
        """
        super().__init__(library, case)
        self._heads: list[Any] = []
        self.package = front_end(library.path)
        # The import may have changed the semantics of shapes.
        use_shape_semantics(library, case)
        self._is_numpy = int(library.version.partition(".")[0]) >= _NUMPY_SINCE
        if self._is_numpy:
            self.package.npx.set_np()
        try:
            self._arrays = {
                item.name: self._namespace.array(contents_of(case, item), dtype=item.tensor.dtype)
                for item in case.inputs
            }
            self._block = self._prepared(layer_block(library, self.package, case, layers), shapes)
        except BaseException:
            self._leave_numpy_mode()
            raise
        self.invoke = PackageInvocation(partial(self._block, *with_lists(self._arrays.items()).values()))

    @property
    def parameter_shapes(self) -> tuple[Shape, ...]:
        """The shapes of all parameters, in the block's order; complete after the first call."""
        return tuple(tuple(parameter.shape) for parameter in self._block.collect_params().values())

    def write_inputs(self, contents: Mapping[str, Array], /) -> None:
        """Writes contents; parameters and random numbers begin anew. Raises EngineError, whatever Gluon raises."""
        try:
            for name, array in self._arrays.items():
                array[:] = contents[name]
            # Drawn by the case in their order, since releases initialise them by other random numbers; a recurrent
            # layer has the same ones in the one array in which 2.x keeps all its parameters.
            drawn = np.random.default_rng(self._seed)
            for name, parameter in _as_in_one_array(self._parameters):
                if type(parameter).__name__ != "Constant":
                    low, high = next((limits for end, limits in _DRAWN.items() if name.endswith(end)), _WEIGHTS)
                    values = drawn.uniform(low, high, parameter.shape)
                    parameter.set_data(self._namespace.array(values, dtype=parameter.dtype))
            self.package.random.seed(self._seed)
            self.library.wait_all()
        except Exception as error:
            raise EngineError(f"{self.case.operator} can't be called again: {error}") from error

    def gradient_values(self) -> dict[str, Array]:
        """The contents of the gradients of the arrays, and of those of parameters by their names within the block."""
        if not self.gradients:
            return {}
        inputs = {name: array.grad.asnumpy() for name, array in self._arrays.items() if array.grad is not None}
        trained = ((name, each) for name, each in self._parameters.items() if each.grad_req != "null")
        return {**inputs, **{name: parameter.grad().asnumpy() for name, parameter in trained}}

    def spoil_gradients(self) -> None:
        """Fills all dense gradients with NaN, and those with zero to which a pass adds."""
        if not self.gradients:
            return
        spoiled = [(array.grad, np.nan) for array in self._arrays.values() if array.grad is not None]
        for parameter in self._trained.values():
            spoiled += [(array, 0.0 if parameter.grad_req == "add" else np.nan) for array in parameter.list_grad()]
        for array, value in spoiled:
            if array.stype == _DENSE:
                array[:] = value

    def make_heads(self, outputs: Sequence[ArrayType], values: Sequence[Array] | None = None) -> None:
        """Makes head gradients of these values, in the dtypes of the results; those of ones are there already."""
        if values is not None:
            pairs = zip(values, self.invoke.results, strict=True)
            self._heads = [self._namespace.array(value, dtype=result.dtype) for value, result in pairs]

    def make_ones(self) -> None:
        """Makes head gradients of ones for the results of the last call."""
        results = self.invoke.results
        self._heads = [self.package.np.ones_like(each) if self._is_numpy else each.ones_like() for each in results]

    def attach_gradients(self) -> None:
        """Attaches gradients to the differentiable inputs; the parameters have theirs already."""
        names = differentiable_inputs(self.case)
        for name in names:
            self._arrays[name].attach_grad()
        self.gradients = {**{name: self._arrays[name] for name in names}, **self._trained}

    def record(self) -> None:
        """Makes a recorded call."""
        with self.package.autograd.record(train_mode=self.case.training):
            self.invoke()

    def run_backward(self, _outputs: Sequence[int]) -> None:
        """Starts a backward pass from the recorded results, as `mx.autograd.backward` does it."""
        self.package.autograd.backward(self.invoke.results, self._heads, train_mode=self.case.training)

    def describe(self, _outputs: Sequence[int]) -> tuple[ArrayType, ...]:
        """The types of the results."""
        return tuple(ArrayType(tuple(each.shape), np.dtype(each.dtype).name) for each in self.invoke.results)

    def storages(self, _outputs: Sequence[int]) -> tuple[Storage, ...]:
        """How the results are stored."""
        return tuple(each.stype for each in self.invoke.results)

    def values(self, _outputs: Sequence[int]) -> list[Array]:
        """The contents of the results."""
        return [each.asnumpy() for each in self.invoke.results]

    @property
    def result_bytes(self) -> int:
        """The bytes of the results of the last call."""
        return self._bytes(self.invoke.results)

    @property
    def gradient_bytes(self) -> int:
        """The bytes of all dense gradients, which are allocated before a backward pass."""
        arrays = [array.grad for array in self._arrays.values() if array.grad is not None]
        return self._bytes([*arrays, *(array for each in self._trained.values() for array in each.list_grad())])

    def free(self) -> None:
        """Frees the results, and waits until the engine is idle; later cases may be of the older arrays."""
        self._heads.clear()
        self.invoke.free(())
        try:
            self.library.wait_all()
        finally:
            self._leave_numpy_mode()

    def _leave_numpy_mode(self) -> None:
        if self._is_numpy:
            self.package.npx.reset_np()

    @property
    def _parameters(self) -> Mapping[str, Any]:
        """The parameters by their names within the block, most of which are those of all releases: `0.weight`."""
        found: Mapping[str, Any] = getattr(self._block, "_collect_params_with_prefix", self._block.collect_params)()
        return found

    @property
    def _namespace(self) -> Any:
        return self.package.np if self._is_numpy else self.package.nd

    @property
    def _trained(self) -> dict[str, Any]:
        parameters = self._block.collect_params()
        return {name: parameter for name, parameter in parameters.items() if parameter.grad_req != "null"}

    def _bytes(self, arrays: Sequence[Any]) -> int:
        dense = (array.handle.value for array in arrays if array.stype == _DENSE)
        return sum(BorrowedArray(self.library, handle).nbytes for handle in dense)

    @property
    def _seed(self) -> int:
        return int(self.case.digest[:8], 16)

    def _prepared(self, block: Any, shapes: Sequence[Shape]) -> Any:
        self.package.random.seed(self._seed)
        if shapes:
            for parameter, shape in zip(block.collect_params().values(), shapes, strict=True):
                parameter.shape = shape
        block.initialize()
        if hybridize := self.case.params.get(HYBRIDIZE, False):
            block.hybridize(**(STATIC_FLAGS if hybridize == STATIC else {}))
        return block


def layer_block(library: Library, package: Any, case: Case, layers: Mapping[str, LayerPlace]) -> Any:
    """The block, uninitialised. Raises UsageError, AbsentLayerError, or CaseFileError if a user's file fails."""
    given = {name: value for name, value in case.params.items() if name != HYBRIDIZE}
    place = layers.get(case.operator)
    block = _user_block(library, package, place, given) if place else _built_in_block(library, package, case, given)
    dtypes = (item.tensor.dtype for item in case.inputs)
    dtype = next((dtype for dtype in dtypes if "float" in dtype), _DEFAULT_DTYPE)
    if dtype != _DEFAULT_DTYPE:
        block.cast(dtype)
    return block


def _user_block(library: Library, package: Any, place: LayerPlace, arguments: dict[str, Any]) -> Any:
    from autoperf.rules.gluon_layers.layer import class_at  # noqa: PLC0415 - as below

    told = registered_operators().told
    layer_class: Any = user_attribute(Path(place.file), place.name, told) if place.file else class_at(package, place)
    if layer_class is None:
        raise AbsentLayerError(f"MXNet {library.version} has no {place.path}")
    parameters = inspect.signature(layer_class).parameters.values()
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    needed = (each.name for each in parameters if each.default is Parameter.empty and each.kind in named)
    if missing := [name for name in needed if name not in arguments]:
        raise missing_arguments(f"{Path(place.file).name}:{place.name}" if place.file else place.path, missing)
    block = layer_class(**arguments)
    if not isinstance(block, package.gluon.Block):
        raise UsageError(f"invalid layer {place.path}: expected a block of Gluon, got a {type(block).__name__}")
    return block


def _built_in_block(library: Library, package: Any, case: Case, arguments: dict[str, Any]) -> Any:
    # Not at the top: rules import Hypothesis, which the processes that time operators don't need.
    from autoperf.rules.gluon_layers.layer import gluon_layers_by_name  # noqa: PLC0415

    layer = gluon_layers_by_name().get(case.operator)
    if layer is None:
        raise UsageError(f"unknown layer {case.operator!r}")
    layer_class = layer.class_in(package)
    if layer_class is None:
        raise AbsentLayerError(f"MXNet {library.version} has no {layer.place.path}")
    try:
        return layer.build(package, layer_class, dict(arguments))
    except KeyError as error:
        # A block that holds others needs arguments that are not those of its class.
        name = str(error.args[0]) if error.args else ""
        if name in arguments or layer.operator.parameter(name) is None:
            raise
        raise missing_arguments(layer.place.path, [name]) from None


_PARTS = "_unfused."
"""The blocks in which a recurrent layer of 1.x keeps the parameters of its layers and directions."""


def _as_in_one_array(parameters: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The parameters in their order, but all weights of a recurrent layer before its biases, as cuDNN and 2.x do."""
    ordered: list[tuple[str, Any]] = []
    for part, members in groupby(parameters.items(), lambda item: _recurrent(item[0])):
        ordered += sorted(members, key=lambda item: bool(part) and item[0].endswith("bias"))
    return ordered


def _recurrent(name: str) -> str:
    layer, part, _ = name.partition(_PARTS)
    return f"{layer}{part}" if part else ""
