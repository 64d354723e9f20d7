"""NumPy mode, which layers have on 2.x, ends with them: with those too that can't be built or called."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autoperf.backends.mxnet import gluon_block
from autoperf.backends.mxnet.engine import LayerCall
from autoperf.backends.mxnet.gluon_block import GluonBlock
from autoperf.core.errors import EngineError, UsageError
from tests.values import case

LAYER = case("gluon_NoSuch", 2, 2, way="layer")


class Mode:
    """Stands for `mx.npx`."""

    is_on = False

    def set_np(self) -> None:
        self.is_on = True

    def reset_np(self) -> None:
        self.is_on = False


def raises() -> Any:
    raise EngineError("no memory")


@pytest.fixture
def mode(monkeypatch: pytest.MonkeyPatch) -> Mode:
    """The mode of a package of 2.x that makes no arrays of its own."""
    mode = Mode()
    numpy = SimpleNamespace(array=np.asarray)
    package = SimpleNamespace(npx=mode, np=numpy, random=SimpleNamespace(seed=lambda _: None))
    monkeypatch.setattr(gluon_block, "front_end", lambda _: package)
    return mode


def library(wait: Callable[[], object] = lambda: None) -> Any:
    return SimpleNamespace(
        path=None,
        version="2.0.0b1",
        number=20000,
        set_np_shape=lambda _: None,
        wait_all=wait,
        unchecked=lambda _: None,
    )


class Block:
    """A block that can be called, or not."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call

    def initialize(self) -> None:
        pass

    def __call__(self, _data: object) -> object:
        return self._call()


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Has every layer be built as a block with this call."""

    def build(call: Callable[[], object]) -> None:
        monkeypatch.setattr(gluon_block, "layer_block", lambda *_: Block(call))

    return build


def test_a_layer_that_cannot_be_built_leaves_the_mode(mode: Mode) -> None:
    with pytest.raises(UsageError, match="unknown layer"):
        GluonBlock(library(), LAYER, {})
    assert not mode.is_on


@pytest.mark.parametrize(("call", "wait"), [(raises, lambda: None), (lambda: None, raises)], ids=["call", "wait"])
def test_a_layer_that_cannot_be_called_leaves_the_mode(
    mode: Mode, built: Callable[[object], None], call: Callable[[], object], wait: Callable[[], object]
) -> None:
    built(call)
    with pytest.raises(EngineError, match="no memory"):
        LayerCall(library(wait), LAYER, {})
    assert not mode.is_on


def test_a_layer_keeps_the_mode_until_it_is_freed(mode: Mode, built: Callable[[object], None]) -> None:
    built(lambda: None)
    call = LayerCall(library(), LAYER, {}, backward=False)
    assert mode.is_on
    call.free()
    assert not mode.is_on


def test_recurrent_layers_draw_weights_before_biases_as_one_array_has_them() -> None:
    layers = [f"rnn._unfused.{layer}.i2h_{kind}" for layer in (0, 1) for kind in ("weight", "bias")]
    names = ["first.weight", "first.bias", *layers, "last.weight", "last.bias"]
    ordered = [name for name, _ in gluon_block._as_in_one_array(dict.fromkeys(names))]
    assert ordered == [*names[:2], layers[0], layers[2], layers[1], layers[3], *names[-2:]]
