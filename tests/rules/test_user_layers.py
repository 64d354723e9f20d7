"""Layers of the user's own in a file of rules: their rules, their places, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.core.errors import AutoperfError, RuleError
from autoperf.core.graph import LayerPlace
from autoperf.rules.gluon_layers.layer import LayerInputs, N, layer_rule, of, user_layer
from autoperf.rules.rule import InputSpec, tensor
from autoperf.rules.sandbox import user_rules

HEAD = """\
from autoperf.rules.gluon_layers.layer import N, of
from autoperf.rules.gluon_layers.layer import user_layer
from autoperf.rules.rule import tensor

ROWS = {"data": tensor(N, 16)}
"""
ROWS = of({"data": tensor(N, 16)})
NET = "class Gated:\n    pass\n"


def written(folder: Path, text: str, net: str = NET) -> Path:
    (folder / "net.py").write_text(net)
    file = folder / "my_layers.py"
    file.write_text(HEAD + text)
    return file


def test_a_class_of_a_file_becomes_a_rule_with_its_place(tmp_path: Path) -> None:
    file = written(tmp_path, "gated = user_layer('net.py:Gated', of(ROWS, units=4), wide=of(ROWS, batch=2, units=8))")
    with user_rules([file]) as loaded:
        (rule,) = loaded.catalog.rules
        assert rule.layer
        assert rule.layer.place == LayerPlace("Gated", (), str(tmp_path / "net.py"))
        assert rule.layer.operator.name == "gluon_Gated"
        canonical = rule.canonical(InputSpec(rule.layer.operator))
    assert set(canonical) == {
        f"{name}{way}" for name in ("", "wide_") for way in ("imperative", "hybridized", "static")
    }
    assert canonical["wide_static"].params == {"units": 8, "hybridize": "static"}
    assert canonical["wide_static"].tensors["data"].shape == (2, 16)  # type: ignore[union-attr]


def test_a_class_of_gluon_is_named_by_its_path() -> None:
    layer = user_layer("mx.gluon.contrib.nn.Mish", ROWS)
    assert layer.place == LayerPlace("Mish", ("contrib.nn",))
    assert set(layer.operator.names) == {"gluon_Mish", "gluon_contrib_nn_Mish"}


@pytest.mark.parametrize(
    ("place", "net", "message"),
    [
        ("gone.py:Gated", NET, r"can't read .*gone\.py"),
        ("net.py:Gate", NET, r"unknown class of .*net\.py 'Gate'; did you mean Gated"),
        ("net.py:Gated", "def (", r"net\.py, line 1: SyntaxError: invalid syntax"),
    ],
)
def test_a_file_without_the_class_is_named(tmp_path: Path, place: str, net: str, message: str) -> None:
    written(tmp_path, "", net)
    with pytest.raises(AutoperfError, match=message):
        layer_rule(user_layer(place, ROWS), tmp_path, "my_layers.py")


@pytest.mark.parametrize("inputs", [{"data": 3}, of({}), of({"data": 3})])  # type: ignore[dict-item]
def test_arrays_are_tensors(inputs: LayerInputs) -> None:
    with pytest.raises(RuleError, match=r"invalid configuration 'wide' of net\.py:Gated: expected of"):
        user_layer("net.py:Gated", ROWS, wide=inputs)


@pytest.mark.parametrize("batch", [0, -1, True, "N"])
def test_a_batch_is_a_whole_number_from_1(batch: int) -> None:
    with pytest.raises(RuleError, match=f"invalid batch {batch!r} of a layer: expected a whole number from 1"):
        of({"data": tensor(N, 4)}, batch=batch)


def test_a_place_is_a_class_of_a_file_or_of_gluon() -> None:
    with pytest.raises(RuleError, match=r"invalid layer 'Gated': expected FILE\.py:CLASS"):
        user_layer("Gated", ROWS)
