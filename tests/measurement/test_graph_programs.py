"""Composites and networks in other frameworks, checked by MXNet's results before they are timed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autoperf.cases import release
from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.core.case import Case
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, Status
from autoperf.implementations import lookup
from autoperf.implementations.implementation import Implementation
from autoperf.measurement.run_request import RunRequest
from autoperf.measurement.run_session import RunMode, RunSession
from autoperf.measurement.side_batches import ONE_WAY
from autoperf.networks.capture import CaptureRequest, capture
from autoperf.networks.source import parse_source
from tests.installed_frameworks import require
from tests.measurement.test_other_frameworks import QUICK
from tests.networks.network_values import NORMALISED, TWO_LAYERS, Node, symbol_file
from tests.values import Recording
from tools.stored_run import read_run

FRAMEWORKS = ("numpy", "torch", pytest.param("jax", marks=pytest.mark.nightly))
RULES = '''
from autoperf.core.tensors import Integers
from autoperf.rules.composites.composite import composite


@composite({"small": (4, 6)})
def halves(g, rows, columns):
    """Two outputs; both halves, the mask and the weights are shared, and a sum of all elements is a factor."""
    data, weights = g.tensor("data", rows, columns), g.tensor("weights", rows, columns // 2)
    left = data.call("split", num_outputs=2, axis=1)
    mask = left > 0.1
    scaled = (left * mask + left[1] * weights) / (weights.square().sum() + 1.0)
    return scaled * mask, (scaled - left[1]).softmax()


@composite({"small": (5, 4)})
def looked_up(g, rows, columns):
    """Rows of a table by indices, and the largest of each."""
    found = g.tensor("table", rows, columns).call("take", g.indices("index", 3, below=5), axis=0)
    return found, found.max(1)


@composite({"small": (4, 6)})
def dropped(g, rows, columns):
    """Random numbers in training."""
    return g.tensor("data", rows, columns).call("Dropout", p=0.5) * 2.0


@composite({"small": (4, 6)}, differentiable=False)
def kept(g, rows, columns):
    """Without training, nothing is random."""
    return g.tensor("data", rows, columns).call("Dropout", p=0.5) * 2.0


@composite({"small": (1, 3, 8)}, differentiable=False)
def unknown(g, batch, channels, size):
    """An operator that no framework has."""
    return g.tensor("boxes", batch, size, 2 * channels).call("_contrib_box_nms")
'''


def outcomes(tmp_path: Path, framework: str, name: str) -> dict[str, Outcome]:
    """The outcomes of a composite's ways, by profile."""
    rules = tmp_path / "rules.py"
    rules.write_text(RULES)
    request = RunRequest(
        Selection(operators=(name,)), Recipe(draws=0, profiles=frozenset({"small"})), QUICK,
        frameworks=(framework,), output=tmp_path / f"{name}.ndjson", rules=(rules,),
    )  # fmt: skip
    return ran(request)


def ran(request: RunRequest) -> dict[str, Outcome]:
    """The outcomes of the last framework, by profile; the test is skipped if it isn't installed."""
    if request.frameworks[-1] != "numpy":
        require(request.frameworks[-1])
    sides = RunSession(request, Recording(), ("autoperf", "run"), RunMode()).run().sides
    return {outcome.profile: outcome for outcome in read_run(sides[-1].path).outcomes}


def outcome(tmp_path: Path, framework: str, name: str) -> Outcome:
    return outcomes(tmp_path, framework, name)["small:imperative"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", ["halves", "looked_up"])
def test_a_graph_with_several_outputs_and_shared_inputs_has_the_results_of_mxnet(
    tmp_path: Path, framework: str, name: str
) -> None:
    made = outcome(tmp_path, framework, name)
    assert made.status is Status.MEASURED, made.reason
    assert len(made.outputs) == 2
    assert made.forward.wall_us
    assert bool(made.backward) is (framework != "numpy")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_random_numbers_are_compared_only_where_none_are_drawn(tmp_path: Path, framework: str) -> None:
    made = outcome(tmp_path, framework, "dropped")
    assert made.status is Status.SKIPPED
    assert made.reason.endswith(": its operator Dropout draws random numbers, so results can't be compared")
    assert outcome(tmp_path, framework, "kept").status is Status.MEASURED


def plant(monkeypatch: pytest.MonkeyPatch, operator: str, expression: str) -> None:
    """Has one operator computed by this expression."""

    def found(framework: str, known: Operator, case: Case, _user: object) -> Implementation | str:
        if known.name == operator:
            return Implementation(operator, expression, "hand")
        return lookup.implementation(framework, known, case)

    monkeypatch.setattr(release, "implementation", found)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    ("operator", "expression", "words"),
    [
        # The numbers of outputs, the wrong half, a value that one of two outputs shows, and a wrong epsilon.
        ("softmax", "data", "output 1: largest error "),
        ("square", "data * data * 1.001", "output 0: largest error "),
        ("_plus_scalar", "data + scalar + 0.001", "output 0: largest error "),
        ("broadcast_sub", "rhs - lhs", "output 1: largest error "),
        ("broadcast_mul", "lhs.no_such", "node broadcast_mul_2: AttributeError: "),
    ],
)
def test_a_wrong_node_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, framework: str, operator: str, expression: str, words: str
) -> None:
    plant(monkeypatch, operator, expression)
    made = outcome(tmp_path, framework, "halves")
    assert made.status is Status.FAILED
    assert words in made.reason
    assert made.forward is None


@pytest.mark.parametrize(
    ("operator", "expression"),
    [("square", "data.detach() * data"), ("broadcast_mul", "lhs.detach() * rhs")],
)
def test_a_wrong_gradient_of_a_node_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operator: str, expression: str
) -> None:
    plant(monkeypatch, operator, expression)
    made = outcome(tmp_path, "torch", "halves")
    assert made.status is Status.FAILED
    assert "gradient of " in made.reason
    assert "computed by the implementations of " in made.reason


def test_other_ways_and_operators_without_an_implementation_are_skipped_with_the_reason(tmp_path: Path) -> None:
    title = f"NumPy {np.__version__}"
    assert {profile: each.reason for profile, each in outcomes(tmp_path, "numpy", "halves").items()} == {
        "small:imperative": "no backward pass: the implementation has no gradient",
        "small:hybridized": f"{title}: {ONE_WAY}",
        "small:static": f"{title}: {ONE_WAY}",
    }
    made = outcome(tmp_path, "numpy", "unknown")
    assert made.status is Status.SKIPPED
    assert made.reason.startswith(f"{title}: its operator _contrib_box_nms: ")


@pytest.mark.parametrize("framework", ["numpy", "torch", "jax"])
@pytest.mark.parametrize(("nodes", "parts"), [(TWO_LAYERS, {"first", "bent"}), (NORMALISED, {"normalised", "bent"})])
def test_a_network_runs_call_by_call_and_as_a_whole(
    tmp_path: Path, framework: str, nodes: list[Node], parts: set[str]
) -> None:
    cases = tmp_path / "cases.ndjson"
    source = parse_source(str(symbol_file(tmp_path, nodes)))
    capture(CaptureRequest((source,), cases, {"data": "3x4"}, training=True))
    request = RunRequest(
        Selection(), Recipe(), QUICK, frameworks=("mxnet", framework), output=tmp_path / "run.ndjson", cases=(cases,)
    )
    by_profile = ran(request)
    measured = {profile for profile, each in by_profile.items() if each.status is Status.MEASURED}
    assert measured == {*parts, "imperative"}, {name: each.reason for name, each in by_profile.items()}
    assert bool(by_profile["imperative"].backward) is (framework != "numpy")
