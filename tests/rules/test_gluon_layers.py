"""Rules of Gluon's layers: their names, their cases, and how they are selected."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release
from autoperf.cases.selection import Selection, targets
from autoperf.core.errors import UnknownNameError
from autoperf.core.graph import HYBRIDIZE, MODES
from autoperf.rules.front_end_benchmarks import front_end_benchmarks_by_name
from autoperf.rules.gluon_layers.layer import MIN_BATCH, N, gluon_layers_by_name, layer, of, reason_of
from autoperf.rules.rule import DRAWN, tensor

LAYERS = gluon_layers_by_name()


def selected(release: Release, **selection: tuple[str, ...]) -> list[str]:
    return [target.operator.name for target in targets(release.registry, release.catalog, Selection(**selection))]


def test_their_category_selects_all_of_them(release: Release) -> None:
    assert sorted(selected(release, categories=("gluon",))) == sorted(LAYERS)
    assert not LAYERS.keys() & set(selected(release, categories=("front_end",)))


def test_without_a_selection_none_is_selected(release: Release) -> None:
    assert not LAYERS.keys() & set(selected(release))
    assert not LAYERS.keys() & front_end_benchmarks_by_name().keys()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gluon.nn.Dense", ["gluon_Dense"]),
        ("mx.gluon.rnn.LSTMCell", ["gluon_LSTMCell"]),
        ("mxnet.gluon.contrib.nn.PixelShuffle1D", ["gluon_PixelShuffle1D"]),
        ("gluon.nn.PixelShuffle1D", ["gluon_PixelShuffle1D"]),
        ("gluon_Dense", ["gluon_Dense"]),
        ("gluon.nn.Conv?D", ["gluon_Conv1D", "gluon_Conv2D", "gluon_Conv3D"]),
        ("gluon_Conv?D", ["gluon_Conv1D", "gluon_Conv2D", "gluon_Conv3D"]),
    ],
)
def test_names_and_globs_select_them(release: Release, text: str, names: list[str]) -> None:
    assert sorted(selected(release, operators=(text,))) == names


@pytest.mark.parametrize(("text", "hint"), [("gluon.nn.Dens", "gluon.nn.Dense"), ("gluon.rnn.Dense", "gluon.nn.Dense")])
def test_a_misspelt_layer_is_told_with_the_nearest(release: Release, text: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown operator '{text}'; did you mean {hint}"):
        selected(release, operators=(text,))


@pytest.mark.parametrize("name", LAYERS)
def test_each_has_a_case_for_each_configuration_and_way(release: Release, name: str) -> None:
    entry = LAYERS[name]
    built = build(entry.operator, entry.rule(), Recipe(seed=3, draws=2, elements=4096), release.client)
    canonical = [case for case in built.cases if case.profile != DRAWN]
    ways = ["imperative"] if entry.imperative_only else list(MODES)
    expected = [entry.profile(name, way) for name in entry.configurations for way in ways]
    assert [case.profile for case in canonical] == expected
    assert {case.way for case in built.cases} == {"layer"}
    assert all(case.params[HYBRIDIZE] in [mode.hybridize for mode in MODES.values()] for case in built.cases)
    assert not built.rejections
    assert all(N not in item.tensor.shape for case in built.cases for item in case.inputs)


def test_drawn_cases_have_another_batch_size_within_the_limit(release: Release) -> None:
    entry = LAYERS["gluon_Dense"]
    built = build(entry.operator, entry.rule(), Recipe(seed=3, draws=8, elements=16 * 1024), release.client)
    batches = {case.inputs[0].tensor.shape[0] for case in built.cases if case.profile == DRAWN}
    assert len(batches) > 1
    assert MIN_BATCH <= min(batches) <= max(batches) <= 16


def test_a_class_is_where_the_release_has_it() -> None:
    entry = layer("Shuffle", "nn contrib.nn", of({"data": tensor(N, 4)}))
    newer = SimpleNamespace(gluon=SimpleNamespace(nn=SimpleNamespace(Shuffle=int)))
    older = SimpleNamespace(gluon=SimpleNamespace(nn=SimpleNamespace(), contrib=newer.gluon))
    assert entry.class_in(newer) is entry.class_in(older) is int
    assert entry.class_in(SimpleNamespace(gluon=SimpleNamespace())) is None


@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        ("", "HybridBlock", "a base class"),
        ("model_zoo.vision", "ResNetV1", "autoperf capture resnet50_v1"),
        ("data.vision.transforms", "Cast", "prepares data"),
        ("nn", "Mish", ""),
        ("model_zoo_of_mine", "Net", ""),
    ],
)
def test_why_a_block_is_no_layer(module: str, name: str, words: str) -> None:
    assert reason_of(module, name).startswith(words) if not words else words in reason_of(module, name)
