"""A Gluon layer prepared to run: its block, its arrays and gradients, in a process that imports the front end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autoperf.capi.dtypes import Context
from autoperf.capi.front_end import front_end
from autoperf.capi.library import Library
from autoperf.capi.messages import first_sentence
from autoperf.core.case import Case
from autoperf.core.errors import AbsentLayerError, UsageError
from autoperf.core.graph import STATIC as STATIC_FLAGS
from autoperf.core.layers import HYBRIDIZE, STATIC, WAYS
from autoperf.executor.call import Call, differentiable_inputs, use_shape_semantics
from autoperf.executor.contents import materialise
from autoperf.executor.front_end import with_lists

_NUMPY_SINCE = 2
_DEFAULT_DTYPE = "float32"


class LayerInvocation:
    """A block called with its arrays; what it returns is the package's, and lives until `free`."""

    def __init__(self, block: Any, arguments: Sequence[Any]) -> None:
        self._block, self._arguments = block, arguments
        self._result: object = None

    def __call__(self) -> tuple[int, ...]:
        """Calls the block and keeps what it returns; no handles, since the results aren't ours."""
        self._result = self._block(*self._arguments)
        return ()

    @property
    def results(self) -> list[Any]:
        """The arrays that the last call returned, those of nested lists too."""
        return list(_flat(self._result))

    def free(self, _handles: Sequence[int]) -> None:
        """Frees the results of the last call."""
        self._result = None


class LayerCall:
    """A layer with its gradients: those of its parameters, and of its floating arrays."""

    def __init__(self, library: Library, case: Case, *, backward: bool = True) -> None:
        """Builds the block, initialises its parameters by the case's id, and runs both passes once.

        `note` says why there is no backward pass, if there should be one. Raises EngineError if there is no front end
        beside the library, and AbsentLayerError if it doesn't have the layer.
        """
        self.library, self.case = library, case
        self._package = front_end(library.path)
        # The import may have changed the semantics of shapes.
        use_shape_semantics(library, case)
        self._is_numpy = int(library.version.partition(".")[0]) >= _NUMPY_SINCE
        if self._is_numpy:
            self._package.npx.set_np()
        self._arrays = {item.name: self._array(item.name) for item in case.inputs}
        self._block = self._prepared_block()
        self.invoke = LayerInvocation(self._block, with_lists(self._arrays))
        # Parameters get their shapes in the first call.
        self.invoke()
        self.gradients: Mapping[str, object] = self._attached() if backward else {}
        self._heads = [self._ones(result) for result in self._recorded()] if backward else []
        self.note = self._tried_backward() if backward else ""

    def run_backward(self, _outputs: Sequence[int]) -> None:
        """Starts a backward pass from the recorded results, as `mx.autograd.backward` does it."""
        self._package.autograd.backward(self.invoke.results, self._heads, train_mode=self.case.training)

    def free(self) -> None:
        """Frees the results, and waits until the engine is idle; later cases may be of the older arrays."""
        self.invoke.free(())
        self._heads.clear()
        self.library.wait_all()
        if self._is_numpy:
            self._package.npx.reset_np()

    def _prepared_block(self) -> Any:
        block = layer_block(self.library, self._package, self.case)
        self._package.random.seed(int(self.case.digest[:8], 16))
        block.initialize()
        dtype = next((item.tensor.dtype for item in self.case.inputs if "float" in item.tensor.dtype), _DEFAULT_DTYPE)
        if dtype != _DEFAULT_DTYPE:
            block.cast(dtype)
        hybridize = self.case.params.get(HYBRIDIZE, False)
        if hybridize not in WAYS.values():
            raise UsageError(f"invalid {HYBRIDIZE} {hybridize!r}: expected False, True or {STATIC}")
        if hybridize:
            block.hybridize(**(STATIC_FLAGS if hybridize == STATIC else {}))
        return block

    def _array(self, name: str) -> Any:
        (tensor,) = (item.tensor for item in self.case.inputs if item.name == name)
        values = materialise(tensor, self.case.digest, name)
        namespace = self._package.np if self._is_numpy else self._package.nd
        return namespace.array(values, dtype=tensor.dtype)

    def _attached(self) -> dict[str, object]:
        """The arrays that get gradients: the differentiable inputs, and the parameters, which have theirs already."""
        for name in differentiable_inputs(self.case):
            self._arrays[name].attach_grad()
        parameters = self._block.collect_params()
        trained = {name: parameter for name, parameter in parameters.items() if parameter.grad_req != "null"}
        return {**{name: self._arrays[name] for name in differentiable_inputs(self.case)}, **trained}

    def _recorded(self) -> list[Any]:
        with self._package.autograd.record(train_mode=self.case.training):
            self.invoke()
        return self.invoke.results

    def _tried_backward(self) -> str:
        """Why there is no backward pass; empty if there is one."""
        try:
            self.run_backward(())
            self.library.wait_all()
        except self._package.base.MXNetError as error:
            self.gradients = {}
            return f"no backward pass: {first_sentence(str(error))}"
        finally:
            self.invoke.free(())
        return ""

    def _ones(self, result: Any) -> Any:
        return self._package.np.ones_like(result) if self._is_numpy else result.ones_like()


def prepared_call(library: Library, case: Case, ctx: Context, *, backward: bool) -> Call | LayerCall:
    """The case, prepared to run: a layer with its gradients, or any other call. Raises EngineError and RuleError."""
    return LayerCall(library, case, backward=backward) if case.way == "layer" else Call(library, case, ctx)


def layer_block(library: Library, package: Any, case: Case) -> Any:
    """The block of a case, without its parameters.

    Raises UsageError for an unknown layer, AbsentLayerError if the release doesn't have it.
    """
    # Not at the top: rules import Hypothesis, which the processes that time operators don't need.
    from autoperf.rules.gluon_layers.catalog import gluon_layers_by_name  # noqa: PLC0415

    layer = gluon_layers_by_name().get(case.operator)
    if layer is None:
        raise UsageError(f"unknown layer {case.operator!r}")
    layer_class = layer.class_in(package)
    if layer_class is None:
        raise AbsentLayerError(f"MXNet {library.version} has no {layer.operator.description}")
    arguments = {name: value for name, value in case.params.items() if name != HYBRIDIZE}
    return layer.build(package, layer_class, arguments)


def _flat(result: object) -> Iterator[Any]:
    """The arrays of nested lists."""
    if isinstance(result, list | tuple):
        for member in result:
            yield from _flat(member)
    elif result is not None:
        yield result
