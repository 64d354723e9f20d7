"""What a target shape's codes mean, replayed by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoperf.rules.operators.reshaping import CLASSIC, NUMPY, coded_shapes, plain_shapes
from autoperf.strategies import shapes


def decoded(source, target, codes):
    """The shape that the codes describe, as MXNet documents them."""
    result, left, coded = [], list(source), iter(target)
    for code in coded:
        if code == codes.rest:
            result += left
            left = []
        elif code == codes.merge:
            result.append(left.pop(0) * left.pop(0))
        elif code == codes.split:
            first, second, extent = next(coded), next(coded), left.pop(0)
            result += [first, extent // first if second == -1 else second]
        else:
            extent = left.pop(0)
            result.append(extent if code == codes.keep else code)
    assert not left
    return result


@pytest.mark.parametrize("codes", [CLASSIC, NUMPY], ids=["classic", "numpy"])
@given(data=st.data())
def test_codes_speak_of_every_dimension_once(codes, data):
    source = data.draw(shapes(1, 5, 4096))
    target = data.draw(coded_shapes(source, codes))
    assert math.prod(decoded(source, target, codes)) == math.prod(source)


@given(st.data())
def test_plain_targets_have_the_source_s_elements(data):
    source = data.draw(shapes(1, 4, 4096))
    target = data.draw(plain_shapes(source))
    assert target.count(-1) <= 1
    known = math.prod(size for size in target if size != -1)
    assert math.prod(source) % known == 0
    assert -1 in target or known == math.prod(source)
