"""Every kernel goes to the call and the pass in which it began, and helpers to no figure."""

from __future__ import annotations

import pytest

from autoperf.backends.mxnet.capi.profiler import HELPERS, ROLES
from autoperf.backends.passes import own_backward, own_forward
from autoperf.backends.protocol import Kernel
from autoperf.measurement.attribution import Boundaries, attribute, windows


def calls(*bounds: tuple[int, int, int]) -> list[Boundaries]:
    return [Boundaries(*(bound * 1000 for bound in one)) for one in bounds]


TWO = calls((100, 200, 300), (400, 500, 600))


def test_a_gradient_of_the_same_name_is_backward() -> None:
    seen = [
        Kernel("negative", 110, 10),
        Kernel("negative", 210, 20),
        Kernel("negative", 410, 12),
        Kernel("negative", 510, 24),
    ]
    forward, backward, notes = attribute(seen, TWO, "negative", ROLES)
    assert forward.totals == (10, 12)
    assert backward.totals == (20, 24)
    assert (forward.kernels, backward.kernels) == ({"negative": 11.0}, {"negative": 22.0})
    assert notes == ()


def test_the_kernels_of_a_pass_are_summed_and_named() -> None:
    seen = [
        Kernel("x", 110, 10),
        Kernel("a", 210, 20),
        Kernel("b", 240, 30),
        Kernel("x", 410, 10),
        Kernel("a", 510, 20),
    ]
    seen += [Kernel("b", 540, 31)]
    _, backward, _ = attribute(seen, TWO, "x", ROLES)
    assert backward.totals == (50, 51)
    assert backward.kernels == {"a": 20.0, "b": 30.5}


def test_helpers_are_apart() -> None:
    seen = [Kernel("x", 110, 10), Kernel("Reorder", 130, 5), Kernel("DeleteVariable", 350, 3), Kernel("x", 410, 10)]
    seen += [Kernel("zeros_like", 510, 4)]
    forward, backward, notes = attribute(seen, TWO, "x", ROLES)
    assert forward.totals == (10, 10)
    assert forward.helpers == {"Reorder": 2.5}
    assert (backward.totals, backward.kernels, backward.helpers) == ((), {}, {"zeros_like": 2.0})
    assert notes == ()


def test_what_begins_outside_every_call_is_noted() -> None:
    seen = [Kernel("x", 50, 10), Kernel("x", 110, 10), Kernel("x", 350, 10), Kernel("x", 410, 10), Kernel("y", 700, 10)]
    forward, _, notes = attribute(seen, TWO, "x", ROLES)
    assert forward.totals == (10, 10)
    assert notes == ("2 runs of x began outside every call", "1 run of y began outside every call")


def test_calls_without_a_kernel_are_noted_not_guessed() -> None:
    forward, _, _ = attribute([Kernel("x", 110, 10)], TWO, "x", ROLES)
    assert forward.totals == (10,)
    assert "1 of 2 calls have no kernel" in forward.notes[0]


def test_differing_counts_are_noted() -> None:
    forward, _, _ = attribute([Kernel("x", 110, 10), Kernel("x", 130, 10), Kernel("x", 410, 30)], TWO, "x", ROLES)
    assert forward.notes == ("the number of kernels differs between calls: 1 to 2",)


def test_kernels_that_run_at_the_same_time_are_noted() -> None:
    seen = [Kernel("x", 110, 20), Kernel("x", 120, 20), Kernel("x", 410, 30)]
    forward, _, _ = attribute(seen, TWO, "x", ROLES)
    assert forward.spans == (30, 30)
    assert forward.totals == (40, 30)
    assert forward.notes[-1] == "kernels ran at the same time: for each us, 1.17 us of kernels"


def test_a_call_that_does_not_count_is_in_no_figure() -> None:
    seen = [Kernel("x", 110, 50), Kernel("x", 410, 30)]
    forward, _, notes = attribute(seen, [TWO[0]._replace(counted=False), TWO[1]], "x", ROLES)
    assert (forward.totals, forward.kernels, forward.notes, notes) == ((30,), {"x": 30.0}, (), ())


def test_what_is_neither_the_operator_nor_a_known_helper_is_told() -> None:
    seen = [Kernel("x", 110, 20), Kernel("stranger", 140, 20), Kernel("Reorder", 170, 5)]
    forward, _, _ = attribute(seen, TWO[:1], "x", ROLES)
    assert (forward.totals, forward.helpers) == ((20,), {"stranger": 20.0, "Reorder": 5.0})
    assert forward.notes == ("also ran, and aren't counted: stranger",)


def test_bulked_kernels_are_noted() -> None:
    forward, _, _ = attribute([Kernel("ImperativeBulk", 110, 20), Kernel("ImperativeBulk", 410, 30)], TWO, "x", ROLES)
    assert any("in bulk" in note for note in forward.notes)


def test_an_event_in_the_microsecond_of_a_boundary_is_inside() -> None:
    bounds = [Boundaries(100_999, 200_001, 300_001)]
    forward, backward, outside = windows([Kernel("x", 100, 1), Kernel("y", 200, 1), Kernel("z", 300, 1)], bounds)
    assert [kernel.name for kernel in forward[0]] == ["x", "y"]
    assert [kernel.name for kernel in backward[0]] == ["z"]
    assert outside == []


@pytest.mark.parametrize(
    ("names", "operator", "own"),
    [
        (["exp", "WaitForVar"], "exp", ("exp",)),
        (["_zeros"], "_zeros", ("_zeros",)),
        (["a", "Reorder", "b", "a"], "alias", ("a", "b")),
        (["CopyCPU2CPU", "WaitForVar"], "_copyto", ("CopyCPU2CPU",)),
        (["exp", "CopyCPU2CPU"], "alias", ("exp",)),
        (["WaitForVar"], "x", ()),
    ],
)
def test_own_kernels_forward(names: list[str], operator: str, own: tuple[str, ...]) -> None:
    found, note = own_forward(names, operator, ROLES)
    assert found == own
    assert bool(note) == (bool(own) and operator not in own)


def test_a_call_of_the_front_end_has_all_kernels_but_maintenance() -> None:
    names = ["_zeros", "CopyCPU2CPU", "DeleteVariable", "SetValueOp", "WaitForVar", "exp"]
    assert own_forward(names, None, ROLES) == (("_zeros", "CopyCPU2CPU", "SetValueOp", "exp"), "")
    forward, _, _ = attribute([Kernel("_zeros", 110, 10), Kernel("SetValueOp", 150, 5)], TWO[:1], None, ROLES)
    assert (forward.totals, forward.notes) == ((15,), ())


def test_own_kernels_backward_are_all_but_helpers() -> None:
    assert own_backward(["_backward_x", *HELPERS, "_copy", "_backward_x"], ROLES) == ("_backward_x", "_copy")
