"""Composites and networks in other frameworks, checked by MXNet's results before they are timed."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from autoperf.cases import release
from autoperf.cases.build import Recipe
from autoperf.cases.selection import Selection
from autoperf.core.case import Case
from autoperf.core.operator import Operator
from autoperf.core.outcome import Outcome, Status
from autoperf.implementations import lookup
from autoperf.implementations.implementation import FRAMEWORKS as TITLES
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

OTHERS = ("torch", "jax")
FRAMEWORKS = ("numpy", "torch", pytest.param("jax", marks=pytest.mark.nightly))
IMPERATIVE = "small:imperative"
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


def outcomes(tmp_path: Path, framework: str, *names: str) -> dict[str, dict[str, Outcome]]:
    """The outcomes of composites, by their names, of their ways, by profile."""
    rules = tmp_path / "rules.py"
    rules.write_text(RULES)
    request = RunRequest(
        Selection(operators=names), Recipe(draws=0, profiles=frozenset({"small"})), QUICK,
        frameworks=(framework,), output=tmp_path / "run.ndjson", rules=(rules,),
    )  # fmt: skip
    made: dict[str, dict[str, Outcome]] = {}
    for outcome in ran(request):
        made.setdefault(outcome.operator, {})[outcome.profile] = outcome
    return made


def ran(request: RunRequest) -> list[Outcome]:
    """The outcomes of the last framework; the test is skipped if it isn't installed."""
    if request.frameworks[-1] != "numpy":
        require(request.frameworks[-1])
    sides = RunSession(request, Recording(), ("autoperf", "run"), RunMode()).run().sides
    return [*read_run(sides[-1].path).outcomes]


class Made(NamedTuple):
    """The outcomes of all composites in a framework."""

    framework: str
    outcomes: dict[str, dict[str, Outcome]]

    @property
    def title(self) -> str:
        """The framework as reasons name it, before its version."""
        return TITLES[self.framework].title


@pytest.fixture(scope="module", params=FRAMEWORKS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    names = ("halves", "looked_up", "dropped", "kept", "unknown")
    return Made(request.param, outcomes(tmp_path_factory.mktemp("made"), request.param, *names))


@pytest.mark.parametrize("name", ["halves", "looked_up"])
def test_a_graph_with_several_outputs_and_shared_inputs_has_the_results_of_mxnet(made: Made, name: str) -> None:
    outcome = made.outcomes[name][IMPERATIVE]
    assert outcome.status is Status.MEASURED, outcome.reason
    assert len(outcome.outputs) == 2
    assert outcome.forward.wall_us
    assert bool(outcome.backward) is (made.framework != "numpy")


def test_random_numbers_are_compared_only_where_none_are_drawn(made: Made) -> None:
    outcome = made.outcomes["dropped"][IMPERATIVE]
    assert outcome.status is Status.SKIPPED
    assert outcome.reason.endswith(": its operator Dropout draws random numbers, so results can't be compared")
    assert made.outcomes["kept"][IMPERATIVE].status is Status.MEASURED


def test_other_ways_and_operators_without_an_implementation_are_skipped_with_the_reason(made: Made) -> None:
    gradient = "no backward pass: the implementation has no gradient" if made.framework == "numpy" else ""
    halves = {profile: outcome.reason for profile, outcome in made.outcomes["halves"].items()}
    assert halves.pop(IMPERATIVE) == gradient
    assert list(halves) == ["small:hybridized", "small:static"]
    for reason in halves.values():
        assert reason.startswith(made.title)
        assert reason.endswith(f": {ONE_WAY}")
    unknown = made.outcomes["unknown"][IMPERATIVE]
    assert unknown.status is Status.SKIPPED
    assert unknown.reason.startswith(made.title)
    assert ": its operator _contrib_box_nms: " in unknown.reason


def plant(monkeypatch: pytest.MonkeyPatch, operator: str, expression: str) -> None:
    """Has one operator computed by this expression."""

    def found(framework: str, known: Operator, case: Case, _user: object) -> Implementation | str:
        if known.name == operator:
            return Implementation(operator, expression, "hand")
        return lookup.implementation(framework, known, case)

    monkeypatch.setattr(release, "implementation", found)


@pytest.mark.parametrize("framework", ["numpy", *(pytest.param(name, marks=pytest.mark.nightly) for name in OTHERS)])
@pytest.mark.parametrize(
    ("operator", "expression", "words"),
    [
        # The numbers of outputs, the wrong half, a value that one of two outputs shows, and a wrong epsilon.
        ("softmax", "data", "output 1: largest error "),
        pytest.param("square", "data * data * 1.001", "output 0: largest error ", marks=pytest.mark.nightly),
        pytest.param("_plus_scalar", "data + scalar + 0.001", "output 0: largest error ", marks=pytest.mark.nightly),
        ("broadcast_sub", "rhs - lhs", "output 1: largest error "),
        ("broadcast_mul", "lhs.no_such", "node broadcast_mul_2: AttributeError: "),
    ],
)
def test_a_wrong_node_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, framework: str, operator: str, expression: str, words: str
) -> None:
    plant(monkeypatch, operator, expression)
    made = outcomes(tmp_path, framework, "halves")["halves"][IMPERATIVE]
    assert made.status is Status.FAILED
    assert words in made.reason
    assert made.forward is None


@pytest.mark.parametrize(
    ("operator", "expression"),
    [
        ("square", "data.detach() * data"),
        pytest.param("broadcast_mul", "lhs.detach() * rhs", marks=pytest.mark.nightly),
    ],
)
def test_a_wrong_gradient_of_a_node_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operator: str, expression: str
) -> None:
    plant(monkeypatch, operator, expression)
    made = outcomes(tmp_path, "torch", "halves")["halves"][IMPERATIVE]
    assert made.status is Status.FAILED
    assert "gradient of " in made.reason
    assert "computed by the implementations of " in made.reason


@pytest.mark.parametrize(
    ("framework", "nodes", "parts"),
    [
        ("numpy", NORMALISED, {"normalised", "bent"}),
        ("torch", TWO_LAYERS, {"first", "bent"}),
        *(pytest.param(other, NORMALISED, {"normalised", "bent"}, marks=pytest.mark.nightly) for other in OTHERS),
        *(pytest.param(name, TWO_LAYERS, {"first", "bent"}, marks=pytest.mark.nightly) for name in ("numpy", "jax")),
    ],
)
def test_a_network_runs_call_by_call_and_as_a_whole(
    tmp_path: Path, framework: str, nodes: list[Node], parts: set[str]
) -> None:
    cases = tmp_path / "cases.ndjson"
    source = parse_source(str(symbol_file(tmp_path, nodes)))
    capture(CaptureRequest((source,), cases, {"data": "3x4"}, training=True))
    request = RunRequest(
        Selection(), Recipe(), QUICK, frameworks=("mxnet", framework), output=tmp_path / "run.ndjson", cases=(cases,)
    )
    by_profile = {outcome.profile: outcome for outcome in ran(request)}
    measured = {profile for profile, each in by_profile.items() if each.status is Status.MEASURED}
    assert measured == {*parts, "imperative"}, {name: each.reason for name, each in by_profile.items()}
    assert bool(by_profile["imperative"].backward) is (framework != "numpy")
