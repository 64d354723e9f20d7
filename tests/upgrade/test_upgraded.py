"""The sessions of an upgrade, in this process: networks that move, under another name, and ones that don't."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.errors import LibraryError, UsageError
from autoperf.front import upgrade
from autoperf.front.upgrade import Target, UpgradeRequest, upgraded
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.settings import Settings
from autoperf.networks.capture import CaptureRequest, capture
from autoperf.networks.source import parse_source
from autoperf.runs import runfile
from autoperf.upgrade.moves import Fate
from autoperf.upgrade.report import Upgrade, answer
from tests.cli.test_upgrade_command import BLOCKS
from tests.networks.network_values import TWO_LAYERS, Node, symbol_file
from tests.reports.report_values import text_of
from tests.values import case

Upgrading = Callable[..., Upgrade | None]


@pytest.fixture
def upgrading(tmp_path: Path) -> Upgrading:
    def run(network: str, to: str, *, backward: bool = False, **inputs: str) -> Upgrade | None:
        output = tmp_path / "run.ndjson"
        settings = Settings(processes=1, max_time=0.05, time_budget=2.0, backward=backward)
        request = RunRequest(Selection(), Recipe(), settings, output=output)
        captured = CaptureRequest((), output, inputs)
        return upgraded(UpgradeRequest((network,), captured, request, Target.of(to, None)))

    return run


def fates(shown: Upgrade | None) -> tuple[dict[str, Fate], set[Fate]]:
    """Those of the calls by operator, and those of the whole."""
    assert shown
    (network, *_) = shown.networks
    return {move.outcome.operator: move.fate for move in network.calls}, {move.fate for move in network.wholes}


def test_a_network_moves_to_another_framework_with_its_gradients(upgrading: Upgrading, tmp_path: Path) -> None:
    shown = upgrading(str(symbol_file(tmp_path, TWO_LAYERS)), "numpy", backward=True, data="2x4")
    calls, wholes = fates(shown)
    assert calls == {"FullyConnected": Fate.MOVES, "Activation": Fate.MOVES}
    assert Fate.MOVES in wholes
    assert shown
    assert not shown.obstructed
    # Two calls of each operator in a pass.
    assert "4 of 4 calls run there and compute the same" in " ".join(answer(shown))
    for form in ("table", "md", "html"):
        assert "4 of 4 calls run there" in " ".join(text_of("upgrade", form, shown, 100).split())


FIRST_VERSIONS = [
    ("null", "data", [], {}),
    *(("null", name, [], {}) for name in ("weight", "bias")),
    ("Convolution_v1", "conv", [(0, 0), (1, 0), (2, 0)], {"kernel": "(3, 3)", "num_filter": "4", "pad": "(1, 1)"}),
    *(("null", name, [], {}) for name in ("gamma", "beta", "moving_mean", "moving_var")),
    ("BatchNorm_v1", "norm", [(number, 0) for number in range(3, 8)], {}),
    (
        "Pooling_v1",
        "pool",
        [(8, 0)],
        {"kernel": "(2, 2)", "stride": "(2, 2)", "pool_type": "max", "pooling_convention": "full"},
    ),
]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("to", "fate"), [("2.0.0b1", Fate.RENAMED), pytest.param("numpy", Fate.MOVES, marks=pytest.mark.nightly)]
)
def test_operators_of_first_versions_move_in_every_mode(
    upgrading: Upgrading, next_library: Path, tmp_path: Path, to: str, fate: Fate
) -> None:
    """MXNet writes 1 into the gamma of BatchNorm_v1, which its later one doesn't, and neither reads."""
    shown = upgrading(str(symbol_file(tmp_path, FIRST_VERSIONS)), to, data="1x3x15x15")
    calls, wholes = fates(shown)
    assert calls == dict.fromkeys(("Convolution_v1", "BatchNorm_v1", "Pooling_v1"), fate)
    assert wholes - {Fate.UNKNOWN} == {Fate.MOVES}


@pytest.mark.nightly
def test_the_node_at_which_a_network_departs_is_found(upgrading: Upgrading, next_library: Path, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(BLOCKS, encoding="utf-8")
    shown = upgrading(f"{tmp_path}/net.py:differing", "2.0.0b1", condition="3x1", x="1x4", y="3x1")
    calls, wholes = fates(shown)
    assert calls == {"_npi_where": Fate.DIFFERS, "_npi_exp": Fate.MOVES}
    assert Fate.DIFFERS in wholes
    assert shown
    assert "where" in shown.networks[0].departs
    assert shown.obstructed


def test_an_interrupted_upgrade_has_nothing_to_show(
    upgrading: Upgrading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(upgrade, "measure_sides", interrupted)
    assert upgrading(str(symbol_file(tmp_path, TWO_LAYERS)), "numpy", data="2x4") is None


@pytest.mark.parametrize(("builds", "is_mistake"), [("aa", True), pytest.param("ab", False, marks=pytest.mark.nightly)])
def test_two_builds_of_a_release_are_no_mistake(
    upgrading: Upgrading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builds: str, is_mistake: bool
) -> None:
    paths, provenance_of = cycle(builds), runfile.provenance_of
    told = lambda *run: msgspec.structs.replace(provenance_of(*run), build=next(paths))  # noqa: E731
    monkeypatch.setattr(upgrade, "provenance_of", told)
    shown = upgrading(str(symbol_file(tmp_path, TWO_LAYERS)), "1.9.1", data="2x4")
    assert shown
    assert ("both sides are MXNet 1.9.1" in " ".join(shown.notes)) is is_mistake


def test_a_file_of_cases_has_to_be_of_a_network(upgrading: Upgrading, tmp_path: Path) -> None:
    path = tmp_path / "cases.ndjson"
    write_cases(path, CasesHeader(VERSION, "0.1.0", "1.9.1", 0), [case()])
    with pytest.raises(UsageError, match=r"cases\.ndjson: no case is of a network; `autoperf capture` writes"):
        upgrading(str(path), "numpy")


def test_a_captured_network_is_not_captured_with_other_inputs(upgrading: Upgrading) -> None:
    with pytest.raises(UsageError, match="--input, --batch and --params-file capture a network, but the networks are"):
        upgrading("cases.ndjson", "numpy", data="2x4")


@pytest.mark.parametrize(
    ("to", "error", "words"),
    [
        ("tensorflow", UsageError, "unknown target 'tensorflow': expected a release of MXNet"),
        ("1.6.0", LibraryError, "MXNet 1.6.0 is not installed"),
    ],
)
def test_an_unknown_target_is_refused(to: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Target.of(to, None)


@pytest.mark.nightly
def test_a_network_that_the_release_here_lacks_is_not_laid_at_the_other_side(
    upgrading: Upgrading, next_library: Path, tmp_path: Path
) -> None:
    nodes: list[Node] = [
        ("null", "data", [], {}),
        ("_npi_exp", "first", [(0, 0)], {}),
        ("_npi_logaddexp", "last", [(1, 0), (0, 0)], {}),
    ]
    source, cases = parse_source(str(symbol_file(tmp_path, nodes))), tmp_path / "cases.ndjson"
    capture(CaptureRequest((source,), cases, {"data": "2x4"}, library="2.0.0b1"))
    shown = upgrading(str(cases), "numpy")
    calls, wholes = fates(shown)
    assert calls == {"_npi_exp": Fate.MOVES, "_npi_logaddexp": Fate.HERE}
    assert wholes == {Fate.HERE, Fate.UNKNOWN}
    assert shown
    assert (shown.obstructed, shown.untried) == (False, True)
    assert "the whole fails here (imperative)" in " ".join(answer(shown))
    reasons = {move.outcome.mode: move.reason for move in shown.networks[0].wholes}
    assert "_npi_logaddexp is not registered" in reasons["imperative"]
