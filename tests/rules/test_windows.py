"""Windows fit their images, and what slides over an image stays within its budget."""

import math

import pytest
from hypothesis import strategies as st

from autoperf.rules.windows import filters, images, windows
from autoperf.strategies import divisors, draw_block


@st.composite
def _layers(draw, elements):
    image = draw(images(elements))
    window = draw(windows(image.spatial))
    groups = draw(divisors(image.channels))
    pixels = image.batch * math.prod(window.places(image.spatial))
    return image, window, groups, pixels, draw(filters(image, window, groups, pixels, elements=elements))


@pytest.mark.parametrize("elements", [64, 4096, 2**18])
def test_a_window_stands_somewhere_and_always_meets_the_image(elements):
    for image, window, *_ in draw_block(_layers(elements), "windows", 64):
        assert min(window.places(image.spatial)) >= 1
        assert all(pad < size for pad, size in zip(window.pad, window.kernel, strict=True))


@pytest.mark.parametrize("elements", [4096, 2**18])
def test_images_weights_and_outputs_stay_within_the_budget(elements):
    for image, window, groups, pixels, count in draw_block(_layers(elements), "filters", 64):
        assert count % groups == 0
        assert math.prod(image.shape) <= elements
        assert count * image.channels // groups * window.taps <= elements
        assert pixels * count <= max(elements, pixels * groups)
