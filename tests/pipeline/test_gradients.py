"""Whether MXNet differentiates an operator in any of its modes."""

from __future__ import annotations

import pytest

from autoperf.pipeline.coverage import modes, read_gradients
from autoperf.pipeline.release import Release
from autoperf.pipeline.selection import Selection, targets
from autoperf.registry.calls import Gradient


def answer(release: Release, operator: str) -> Gradient:
    chosen = targets(release.registry, release.catalog, Selection(operators=(operator,)))
    return read_gradients(release, chosen)[operator]


@pytest.mark.parametrize(
    ("operator", "kernel"),
    [
        ("topk", "_backward_topk"),  # the small case asks for indices, which have none
        ("_npi_normal", "_backward_broadcast_normal"),  # of numbers there is nothing to differentiate by
        ("_sample_multinomial", "_backward_sample_multinomial"),  # with the probabilities of what was sampled
    ],
)
def test_a_gradient_in_one_of_the_modes_counts(release: Release, operator: str, kernel: str) -> None:
    found = answer(release, operator)
    assert found.differentiable
    assert kernel in found.kernels


@pytest.mark.parametrize("operator", ["argsort", "BlockGrad", "_contrib_quantize_v2", "broadcast_equal"])
def test_gradients_that_are_zero_by_definition_are_none(release: Release, operator: str) -> None:
    assert answer(release, operator) == Gradient(differentiable=False, source="graph")


def test_sizes_are_no_modes(release: Release) -> None:
    (target,) = targets(release.registry, release.catalog, Selection(operators=("topk",)))
    assert target.rule
    assert [call.params.get("ret_typ") for call in modes(target, target.rule)] == [None, "value", "both", "mask"]
