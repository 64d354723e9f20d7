"""Convolution and deconvolution over 1, 2 and 3 spatial dimensions, in the layouts that the CPU takes."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.rules.rule import Brief, Draft, Inputs, inputs, rule, tensor
from autoperf.rules.windows import images, windows
from autoperf.strategies import divisors, extents

CANONICAL = {
    "small": inputs(data=tensor(1, 3, 32, 32), kernel=(3, 3), pad=(1, 1), num_filter=16),
    "common": inputs(data=tensor(1, 64, 56, 56), kernel=(3, 3), pad=(1, 1), num_filter=64, no_bias=True),
    "large": inputs(data=tensor(4, 3, 224, 224), kernel=(7, 7), stride=(2, 2), pad=(3, 3), num_filter=64),
    "skewed": inputs(data=tensor(1, 512, 7, 7), kernel=(1, 1), num_filter=1024, no_bias=True),
    "line": inputs(data=tensor(4, 32, 512), kernel=(5,), num_filter=32),
    "volume": inputs(data=tensor(1, 8, 16, 28, 28), kernel=(3, 3, 3), num_filter=16),
    "depthwise": inputs(data=tensor(1, 64, 56, 56), kernel=(3, 3), pad=(1, 1), num_filter=64, num_group=64),
}


@rule("Convolution", "_npx_convolution", category="convolution", canonical=CANONICAL)
def convolution(draw: st.DrawFn, brief: Brief) -> Inputs:
    """(N, C, *spatial) with a kernel no larger than the padded input; groups divide the channels and the filters."""
    image = draw(images(brief.elements))
    window = draw(windows(image.spatial))
    groups = draw(divisors(image.channels))
    filters = groups * draw(extents(1, max(1, min(64 // groups, brief.elements // image.pixels // groups))))
    return inputs(
        data=Draft(image.shape),
        num_filter=filters,
        num_group=groups,
        no_bias=draw(st.booleans()),
        **window.params(),
    )
