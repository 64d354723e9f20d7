"""Pooling over regions of interest: (image index, x1, y1, x2, y2) in the image's own coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from autoperf.core.operator import Value
from autoperf.core.tensors import Boxes, Literal_
from autoperf.rules.derivatives import Derivative, arrays
from autoperf.rules.profiles import where_known
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule
from autoperf.strategies import divisors, extents

STRIDE = 16
SCALE = 1 / STRIDE
OF_REGIONS = Derivative(arrays("rois"), zero=("rois",))
"""Regions get no gradient."""


@dataclass(frozen=True)
class Scene:
    """Feature maps (N, C, height, width) of images that are 16 times as large, and how many regions lie in them."""

    batch: int
    channels: int
    height: int
    width: int
    regions: int

    @property
    def features(self) -> Draft:
        """The feature maps."""
        return Draft((self.batch, self.channels, self.height, self.width))

    @property
    def boxes(self) -> Draft:
        """The regions, each within its image."""
        lead = ((0, max(self.batch, 1)),)
        box = Boxes(width=float(self.width * STRIDE), height=float(self.height * STRIDE), lead=lead)
        return Draft((self.regions, 5), content=box)

    @property
    def rotated(self) -> Draft:
        """Regions (image, centre x, centre y, width, height, degrees): 12 different ones, in the middle."""
        wide, high = float(self.width * STRIDE), float(self.height * STRIDE)
        rows = [
            (float(turn % self.batch), wide / 2, high / 2, wide / 4 + turn, high / 4 + turn, 30.0 * turn)
            for turn in range(12)
        ]
        return Draft((self.regions, 6), content=Literal_(tuple(number for row in rows for number in row)))


SCENES = {
    "small": Scene(1, 8, 8, 8, 4),
    "common": Scene(1, 32, 32, 32, 16),
    "large": Scene(1, 64, 64, 64, 64),
    "skewed": Scene(1, 1, 1000, 10, 100),
}


def _everywhere(build: Callable[[Scene], Inputs]) -> Callable[[InputSpec], Mapping[str, Inputs]]:
    """Canonical inputs, one for each scene."""
    return lambda _spec: {profile: build(scene) for profile, scene in SCENES.items()}


@st.composite
def _scenes(draw: st.DrawFn, elements: int, cells: int, groups: int = 1) -> Scene:
    """A scene whose features, and whose output of `cells` for each region and channel, stay within the budget."""
    channels = groups * draw(extents(1, max(1, min(64 // groups, elements // groups))))
    batch = draw(st.integers(1, 4))
    side = max(1, int((elements // (batch * channels)) ** 0.5))
    height, width = draw(extents(1, side)), draw(extents(1, side))
    regions = draw(extents(1, max(1, min(128, elements // (channels * cells)))))
    return Scene(batch, channels, height, width, regions)


@st.composite
def _sizes(draw: st.DrawFn) -> tuple[int, int]:
    """The height and the width to which regions are pooled."""
    return draw(st.integers(1, 7)), draw(st.integers(1, 7))


def _pooled(scene: Scene, **params: Value) -> Inputs:
    options: dict[str, Value] = {"pooled_size": (7, 7), "spatial_scale": SCALE, **params}
    return inputs(data=scene.features, rois=scene.boxes, **options)


def _turned(scene: Scene, **params: Value) -> Inputs:
    options: dict[str, Value] = {"pooled_size": (7, 7), "spatial_scale": SCALE, **params}
    return inputs(data=scene.features, rois=scene.rotated, **options)


@rule("ROIPooling", "_npx_roi_pooling", category="pooling", canonical=_everywhere(_pooled), backward=OF_REGIONS)
def roi_pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The maximum over each cell of each region."""
    size = draw(_sizes())
    return _pooled(draw(_scenes(spec.elements, size[0] * size[1])), pooled_size=size)


@rule("_contrib_ROIAlign", category="pooling", canonical=_everywhere(_pooled), backward=OF_REGIONS)
def roi_align(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Bilinear samples in each cell; position-sensitive, the cells divide the channels."""
    size = draw(_sizes())
    sensitive = draw(st.booleans())
    cells = size[0] * size[1]
    scene = draw(_scenes(spec.elements, cells, groups=cells if sensitive else 1))
    samples = draw(st.sampled_from((-1, 1, 2)))
    aligned = where_known(spec, aligned=draw(st.booleans()))
    return _pooled(scene, pooled_size=size, sample_ratio=samples, position_sensitive=sensitive, **aligned)


@rule("_contrib_RROIAlign", category="pooling", canonical=_everywhere(_turned))
def rotated_roi_align(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Bilinear samples in each cell of rotated regions."""
    size = draw(_sizes())
    scene = draw(_scenes(spec.elements, size[0] * size[1]))
    return _turned(scene, pooled_size=size, sampling_ratio=draw(st.sampled_from((-1, 1, 2))))


def _sensitive(scene: Scene, groups: int = 7, **params: Value) -> Inputs:
    """Each cell of a groups * groups grid pools channels of its own."""
    channels = scene.channels // (groups * groups) * groups * groups or groups * groups
    exact = Scene(scene.batch, channels, scene.height, scene.width, scene.regions)
    options: dict[str, Value] = {"spatial_scale": SCALE, "pooled_size": groups, "group_size": groups, **params}
    return inputs(data=exact.features, rois=exact.boxes, output_dim=channels // (groups * groups), **options)


def _deformed(scene: Scene, groups: int = 7, **params: Value) -> Inputs:
    """The same without learnt offsets."""
    return _sensitive(scene, groups, no_trans=True, sample_per_part=2, **params)


@rule("_contrib_PSROIPooling", category="pooling", canonical=_everywhere(_sensitive), backward=OF_REGIONS)
def position_sensitive_pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """The mean over each cell, from output_dim * group_size ** 2 channels."""
    groups = draw(st.integers(1, 7))
    return _sensitive(draw(_scenes(spec.elements, 1, groups=groups * groups)), groups)


@rule("_contrib_DeformablePSROIPooling", category="pooling", canonical=_everywhere(_deformed), backward=OF_REGIONS)
def deformable_pooling(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Position-sensitive samples, shifted by two learnt numbers for each class, region and part, or not."""
    groups = draw(st.integers(1, 7))
    scene = draw(_scenes(spec.elements, 2, groups=groups * groups))
    if draw(st.booleans()):
        return _deformed(scene, groups)
    call = _sensitive(scene, groups, sample_per_part=2, part_size=groups, trans_std=0.1)
    classes = draw(divisors(scene.channels // (groups * groups)))
    shifts = Draft((scene.regions, 2 * classes, groups, groups))
    return Inputs({**call.tensors, "trans": shifts}, call.params)
