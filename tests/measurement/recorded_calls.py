"""A framework that records what is asked of it, in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autoperf.backends.protocol import BackwardRequest, CallOptions
from autoperf.core.case import Case
from autoperf.core.outcome import PassName
from autoperf.core.tensors import ArrayType, Storage
from tests.backends.toy import SynchronousCall


class ForwardPass:
    """Counts its outputs that aren't freed yet."""

    def __init__(self, call: RecordedCall, kind: str) -> None:
        self._call, self._kind = call, kind

    def __call__(self) -> list[str]:
        self._call.kinds.append(self._kind)
        self._call.unfreed += 1
        return [self._kind]

    def free(self, _outputs: object, /) -> None:
        self._call.unfreed -= 1


class RecordedCall(SynchronousCall):
    """A call whose forward pass is another one once gradients are requested, as JAX's is."""

    def __init__(self, of: Case, failure: Exception | None = None, free_failure: Exception | None = None) -> None:
        self.case = of
        self.gradients: dict[str, object] = {}
        self.kinds: list[str] = []
        self.unfreed = 0
        self._failure, self._free_failure = failure, free_failure
        self.invoke = ForwardPass(self, "plain")

    def request_gradients(self, request: BackwardRequest, /) -> None:
        self.gradients = dict.fromkeys(request.inputs)
        self.invoke = ForwardPass(self, "recorded" if request.inputs else "plain")

    def make_heads(self, outputs: Sequence[ArrayType], values: object = None, /) -> None:
        pass

    def run_backward(self, outputs: list[str], /) -> None:
        assert outputs == ["recorded"]
        if self._failure:
            raise self._failure

    def describe(self, _outputs: object, /) -> tuple[ArrayType, ...]:
        return (ArrayType((2, 2), "float32"),)

    def storages(self, _outputs: object, /) -> tuple[Storage, ...]:
        return ("default",)

    def values(self, _outputs: object, /) -> list[Any]:
        assert self.unfreed == 1
        return []

    def views(self, _outputs: object, _count: int | None, /) -> tuple[PassName, ...]:
        assert self.unfreed == 1
        return ()

    def gradient_values(self) -> dict[str, Any]:
        assert self.unfreed == 1
        return {}

    input_values = gradient_values

    def free(self) -> None:
        if self._free_failure:
            raise self._free_failure


class RecordedEngine:
    """Prepares recorded calls, whose backward passes or ends fail as given; `on_prepare` is called before each."""

    def __init__(
        self,
        failure: Exception | None = None,
        on_prepare: Callable[[], None] = lambda: None,
        free_failure: Exception | None = None,
    ) -> None:
        self.calls: list[RecordedCall] = []
        self.refusals: tuple[type[BaseException], ...] = ()
        self._failure, self._on_prepare, self._free_failure = failure, on_prepare, free_failure

    def prepare(self, of: Case, _options: CallOptions, _program: object = None) -> RecordedCall:
        self._on_prepare()
        self.calls.append(RecordedCall(of, self._failure, self._free_failure))
        return self.calls[-1]

    def wait(self) -> None:
        pass

    def seed(self, seed: int) -> None:
        pass

    def error_text(self, error: BaseException) -> str:
        return str(error)
