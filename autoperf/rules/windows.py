"""Images and sliding windows, which convolution, pooling and similar operators share."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Shape
from autoperf.strategies import extents

MAX_MULTIPLICATIONS = 2**27


@dataclass(frozen=True)
class Image:
    """A batch in channel-first order: (batch, channels, *spatial)."""

    batch: int
    channels: int
    spatial: Shape

    @property
    def shape(self) -> Shape:
        """(batch, channels, *spatial)."""
        return (self.batch, self.channels, *self.spatial)

    @property
    def channels_last(self) -> Shape:
        """(batch, *spatial, channels)."""
        return (self.batch, *self.spatial, self.channels)

    @property
    def pixels(self) -> int:
        """Elements of one channel over the whole batch."""
        return self.batch * math.prod(self.spatial)


@dataclass(frozen=True)
class SlidingWindow:
    """A window's size, stride, padding and dilation, one number for each spatial dimension."""

    kernel: Shape
    stride: Shape
    pad: Shape
    dilate: Shape

    @property
    def taps(self) -> int:
        """Elements of one window."""
        return math.prod(self.kernel)

    @property
    def span(self) -> Shape:
        """The extent including dilation: dilate * (kernel - 1) + 1."""
        return tuple(step * (size - 1) + 1 for step, size in zip(self.dilate, self.kernel, strict=True))

    def places(self, spatial: Shape) -> Shape:
        """The number of positions: floor((extent + 2 * pad - span) / stride) + 1 in each dimension."""
        parts = zip(spatial, self.pad, self.span, self.stride, strict=True)
        return tuple((extent + 2 * edge - span) // step + 1 for extent, edge, span, step in parts)

    def params(self, dilation: bool = True) -> dict[str, Value]:
        """The parameters under MXNet's names."""
        params: dict[str, Value] = {"kernel": self.kernel, "stride": self.stride, "pad": self.pad}
        return {**params, "dilate": self.dilate} if dilation else params


@st.composite
def images(draw: st.DrawFn, elements: int, dims: tuple[int, int] = (1, 3)) -> Image:
    """A batch of `dims` spatial dimensions (fewest and most) with at most `elements` elements."""
    count = draw(st.integers(*dims))
    batch = draw(extents(1, max(1, min(8, elements))))
    channels = draw(extents(1, max(1, min(64, elements // batch))))
    remaining = max(1, elements // (batch * channels))
    side = max(1, int(remaining ** (1 / count)))
    return Image(batch, channels, tuple(draw(extents(1, side)) for _ in range(count)))


@st.composite
def windows(draw: st.DrawFn, spatial: Shape, largest: int = 7, dilated: bool = True) -> SlidingWindow:
    """A window that fits into the padded `spatial`: dilate * (kernel - 1) + 1 <= extent + 2 * pad, pad < kernel."""
    kernel = tuple(draw(st.integers(1, min(largest, extent))) for extent in spatial)
    pad = tuple(draw(st.integers(0, (size - 1) // 2)) for size in kernel)
    stride = tuple(draw(st.integers(1, 3)) for _ in spatial)
    dimensions = zip(kernel, pad, spatial, strict=True)
    max_dilations = [
        1 if size == 1 else max(1, (extent + 2 * edge - 1) // (size - 1)) for size, edge, extent in dimensions
    ]
    dilate = tuple(draw(st.integers(1, min(2, limit))) if dilated else 1 for limit in max_dilations)
    return SlidingWindow(kernel, stride, pad, dilate)


@st.composite
def filters(draw: st.DrawFn, image: Image, window: SlidingWindow, groups: int, pixels: int, *, elements: int) -> int:
    """A number of filters that `groups` divides, with bounded output (`pixels` of each filter), weight and work."""
    max_by_output = elements // max(1, pixels * groups)
    max_by_weight = elements // (image.channels * window.taps)
    max_by_work = MAX_MULTIPLICATIONS // (max(pixels, image.pixels) * image.channels * window.taps)
    return groups * draw(extents(1, max(1, min(64 // groups, max_by_output, max_by_weight, max_by_work))))
