"""Two calls are compared by the functions that they execute."""

from __future__ import annotations

from autoperf.core.work import CodeCount, FunctionCount, Part
from autoperf.counts.functions import FunctionChange, difference


def code(digest: str, dispatch: int = 20_000, **functions: int) -> CodeCount:
    listed = tuple(FunctionCount(name, Part.OPERATOR, number) for name, number in functions.items())
    parts = {"operator": sum(functions.values()), "dispatch": dispatch}
    return CodeCount("valgrind 3.19", listed, parts, digest)


def test_equal_kernels_are_identical_whatever_calls_them() -> None:
    found = difference(code("a", relu=1000), code("a", relu=1000, dispatch=20_031))
    assert found.identical
    assert found.functions == ()
    assert found.parts == {"operator": (1000, 1000), "dispatch": (20_000, 20_031)}


def test_functions_that_differ_come_by_their_difference() -> None:
    found = difference(code("a", mul=500_000, add=1_000_000), code("b", mul=500_001, add=900_000, sub=7_000))
    assert not found.identical
    assert found.functions == (
        FunctionChange("add", "operator", 1_000_000, 900_000),
        FunctionChange("sub", "operator", 0, 7_000),
        FunctionChange("mul", "operator", 500_000, 500_001),
    )
    assert (found.base, found.new) == (1_500_000, 1_407_001)


def test_a_function_below_the_smallest_listed_share_of_one_side_is_no_difference() -> None:
    """1,001 instructions of a million are listed, 999 aren't."""
    found = difference(code("a", relu=1_000_000, copy=1_001), code("b", relu=1_000_010))
    assert [change.name for change in found.functions] == ["relu"]


def test_a_function_is_new_by_its_share_of_the_kernels_however_much_calls_them() -> None:
    found = difference(code("a", dispatch=50_000, relu=500), code("b", dispatch=50_000, relu=500, copy=45))
    assert found.functions == (FunctionChange("copy", "operator", 0, 45),)


def test_a_function_of_onednn_is_the_same_by_its_former_name() -> None:
    found = difference(code("a", MKLDNNSubmit=1_000), code("b", DNNLSubmit=900))
    assert found.functions == (FunctionChange("DNNLSubmit", "operator", 1_000, 900),)
