"""A Gluon layer prepared to be timed, with the gradients of its parameters and of its floating arrays."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from autoperf.backends.mxnet.call import Call, EngineCall
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.registered_operators import registered_operators
from autoperf.backends.mxnet.front_end_call import PackageInvocation
from autoperf.backends.mxnet.gluon_block import GluonBlock
from autoperf.backends.protocol import CallOptions, parse_context
from autoperf.backends.user_file import errors_in
from autoperf.core.case import Case
from autoperf.core.layers import LayerPlace


class LayerCall(EngineCall):
    """A layer with its gradients: those of its parameters, and of its floating arrays."""

    def __init__(
        self, library: Library, case: Case, layers: Mapping[str, LayerPlace], *, backward: bool = True
    ) -> None:
        """Builds the block, initialises its parameters by the case's id, and runs both passes once.

        `layers` are the user's own. `note` says why there is no backward pass, if there should be one. Raises
        EngineError if there is no front end beside the library, and AbsentLayerError if it doesn't have the layer.
        `first_us` are the microseconds of the first call, forward and backward: a hybridized block is traced in it.
        """
        super().__init__(library, case)
        self._block = GluonBlock(library, case, layers)
        begin = time.perf_counter()
        # Parameters get their shapes in the first call.
        self.invoke()
        library.wait_all()
        self.first_us: tuple[float, float] | None = ((time.perf_counter() - begin) * 1e6, 0.0)
        self.gradients: Mapping[str, object] = self._block.attach_gradients() if backward else {}
        self._heads = self._block.head_gradients(self._block.recorded()) if backward else []
        self.note = self._tried_backward() if backward else ""

    @property
    def invoke(self) -> PackageInvocation:
        """The forward pass."""
        return self._block.invoke

    def run_backward(self, _outputs: Sequence[int]) -> None:
        """Starts a backward pass from the recorded results."""
        self._block.run_backward(self._heads)

    def free(self) -> None:
        """Frees the results, and waits until the engine is idle."""
        self._heads.clear()
        self._block.free()

    def _tried_backward(self) -> str:
        """Why there is no backward pass; empty if there is one."""
        begin = time.perf_counter()
        try:
            self.run_backward(())
            self.library.wait_all()
            self.first_us = (self.first_us[0] if self.first_us else 0.0, (time.perf_counter() - begin) * 1e6)
        except self._block.package.base.MXNetError as error:
            self.gradients = {}
            return f"no backward pass: {registered_operators().explained(str(error))}"
        finally:
            self.invoke.free(())
        return ""


def prepared_call(library: Library, case: Case, options: CallOptions) -> Call | LayerCall:
    """The case, prepared to run: a layer with its gradients, or any other call.

    Raises EngineError and RuleError; CaseFileError, with the line, for an exception in the file of a user's layer.
    """
    if case.way == "layer":
        place = options.layers.get(case.operator)
        with errors_in(Path(place.file), registered_operators().told) if place and place.file else nullcontext():
            return LayerCall(library, case, options.layers, backward=options.backward)
    return Call(library, case, parse_context(options.ctx))
