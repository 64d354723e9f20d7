"""Boxes (x1, y1, x2, y2), anchors and proposals: matching, encoding, suppression."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import prod

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Boxes, Constant, Literal_, Mask, Uniform
from autoperf.rules.arithmetic import sorted_elements
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import at_shapes, below, by_profile, sized, unpacked
from autoperf.strategies import extents, shapes

detection_rule = partial(rule, category="detection")

STRIDE = 16
UNIT = Boxes()
CHANCE = Uniform(0.0, 1.0)
THRESHOLDS = st.sampled_from((0.3, 0.5, 0.7))
FORMATS = st.sampled_from(("corner", "center"))

CLASSES = 4


def _suppressed(batch: int, boxes: int, classes: int = CLASSES, **params: Value) -> Inputs:
    """Rows of class, score and box, with the classes distinguished by `id_index`."""
    content = None if classes == CLASSES else Boxes(lead=((0, max(2, classes)), (0, 1)))
    return inputs(data=Draft((batch, boxes, 6), content=content), id_index=0, **params)


def suppressible(case: Case) -> Mapping[str, AnyContent]:
    """Boxes from column `coord_start` on, a class at `id_index`, and chances in all other columns."""
    width, start = case.shape("data")[-1], case.number("coord_start", 2)
    classes = case.number("id_index", -1)
    columns = [(0, CLASSES) if column == classes else (0, 1) for column in range(width)]
    return {"data": Boxes(lead=tuple(columns[:start]), tail=tuple(columns[start + 4 :]))}


def _encoded(batch: int, boxes: int, truths: int) -> Inputs:
    """Anchors of each image, a mask of those that count, and the true box of the image that matches each."""
    return inputs(
        samples=Draft((batch, boxes)),
        matches=Draft((batch, boxes)),
        anchors=Draft((batch, boxes, 4)),
        refs=Draft((batch, truths, 4)),
        means=Draft((4,)),
        stds=Draft((4,)),
    )


def _targets(batch: int, anchors: int, objects: int, classes: int, **params: Value) -> Inputs:
    """Anchors that all images share, labelled objects (class, box), and a prediction for each anchor."""
    return inputs(
        anchor=Draft((1, anchors, 4)),
        label=Draft((batch, objects, 5)),
        cls_pred=Draft((batch, classes + 1, anchors)),
        **params,
    )


def _detections(batch: int, anchors: int, classes: int, **params: Value) -> Inputs:
    """Class probabilities (0 is the background) and offsets for each anchor."""
    return inputs(
        cls_prob=Draft((batch, classes + 1, anchors)),
        loc_pred=Draft((batch, 4 * anchors)),
        anchor=Draft((1, anchors, 4)),
        **params,
    )


def _proposed(batch: int, height: int, width: int, before: int = 600, after: int = 100, **params: Value) -> Inputs:
    """Two scores and four offsets for each of 12 anchors in each cell, and each image's height, width and scale."""
    return inputs(
        cls_prob=Draft((batch, 24, height, width)),
        bbox_pred=Draft((batch, 48, height, width)),
        im_info=Draft((batch, 3)),
        rpn_pre_nms_top_n=before,
        rpn_post_nms_top_n=after,
        **params,
    )


ENCODED = Literal_((0.1, 0.1, 0.2, 0.2))


def encoded(case: Case) -> Mapping[str, AnyContent]:
    """Boxes, the number of a true box for each anchor, and the offsets' scale."""
    return {
        "samples": Mask(),
        "matches": below(case.shape("refs")[1]),
        "anchors": UNIT,
        "refs": UNIT,
        "means": Constant(0.0),
        "stds": ENCODED,
    }


def labelled(case: Case) -> Mapping[str, AnyContent]:
    """Labels of a class, a box, and maybe further columns."""
    classes, further = case.shape("cls_pred")[1] - 1, case.shape("label")[-1] - 5
    return {"anchor": UNIT, "label": Boxes(lead=((0, max(2, classes)),), tail=((0, 1),) * further)}


def proposed(case: Case) -> Mapping[str, AnyContent]:
    """Chances, small offsets, and images as large as the map's cells."""
    stride = case.number("feature_stride", STRIDE)
    height, width = (float(side * stride) for side in case.shape("cls_prob")[2:])
    return {"cls_prob": CHANCE, "bbox_pred": Uniform(-0.1, 0.1), "im_info": Literal_((height, width, 1.0))}


PRIORS = {
    "small": inputs(data=tensor(1, 3, 16, 16), sizes=(0.2, 0.4), ratios=(1.0, 2.0)),
    "common": inputs(data=tensor(1, 16, 38, 38), sizes=(0.2, 0.4), ratios=(1.0, 2.0, 0.5)),
    "large": inputs(data=tensor(1, 3, 128, 128), sizes=(0.2, 0.4), ratios=(1.0, 2.0, 0.5)),
    "skewed": inputs(data=tensor(1, 1, 10_000, 1), sizes=(0.2,), ratios=(1.0,)),
}
TARGETS = by_profile(_targets(1, 64, 4, 4), _targets(2, 512, 8, 20), _targets(2, 2048, 8, 20), _targets(1, 5000, 1, 1))
OVERLAPS = sized(
    unpacked(lambda _spec, left, right: inputs(lhs=tensor(left, 4), rhs=tensor(right, 4))),
    by_profile((32, 32), (256, 256), (1000, 1000), (10_000, 10)),
)
ENCODING = by_profile(_encoded(1, 64, 4), _encoded(4, 2048, 8), _encoded(8, 16_384, 8), _encoded(1, 100_000, 1))
DECODING = sized(
    unpacked(lambda _spec, batch, count: inputs(data=tensor(batch, count, 4), anchors=tensor(1, count, 4))),
    by_profile((1, 64), (4, 2048), (8, 16_384), (1, 100_000)),
)
PROPOSALS = by_profile(
    _proposed(1, 4, 4, 100, 10), _proposed(1, 14, 14), _proposed(1, 38, 50, 300, 100), _proposed(1, 200, 1)
)


@detection_rule("_contrib_MultiBoxPrior", "_npx_multibox_prior", canonical=PRIORS)
def anchors(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """sizes + ratios - 1 anchors around each place of (N, C, height, width)."""
    sizes = tuple(0.1 * (1 + index) for index in range(draw(st.integers(1, 3))))
    ratios = (1.0, 2.0, 0.5)[: draw(st.integers(1, 3))]
    side = max(1, int((spec.elements // (4 * (len(sizes) + len(ratios) - 1))) ** 0.5))
    shape = (1, 1, draw(extents(1, side)), draw(extents(1, side)))
    return inputs(data=Draft(shape), sizes=sizes, ratios=ratios, clip=draw(st.booleans()))


@st.composite
def _crowds(draw: st.DrawFn, elements: int, width: int) -> tuple[int, int]:
    """The number of images, and the number of boxes in each, at most 4096; a box has `width` numbers."""
    batch = draw(st.integers(1, 4))
    return batch, draw(extents(1, max(1, min(4096, elements // (batch * width)))))


@detection_rule(
    "_contrib_MultiBoxTarget",
    "_npx_multibox_target",
    canonical=TARGETS,
    dims={"label": "n _ _", "cls_pred": "n _ _"},
    contents=labelled,
)
def anchor_targets(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Anchors matched with 1 to 8 objects of each image; negatives mined, or all of them kept."""
    classes = draw(st.integers(1, 20))
    batch, count = draw(_crowds(spec.elements, max(4, classes + 1)))
    mining, objects = draw(st.sampled_from((-1.0, 3.0))), draw(st.integers(1, 8))
    return _targets(batch, count, objects, classes, overlap_threshold=draw(THRESHOLDS), negative_mining_ratio=mining)


@detection_rule(
    "_contrib_MultiBoxDetection",
    "_npx_multibox_detection",
    canonical=by_profile(
        _detections(1, 64, 4),
        *(_detections(*sizes, nms_topk=100) for sizes in ((2, 512, 20), (4, 2048, 20), (1, 10_000, 1))),
    ),
    dims={"cls_prob": "n _ _", "loc_pred": "n _", "anchor": "_ _ _"},
    contents={"cls_prob": CHANCE, "anchor": UNIT},
)
def anchor_detections(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Boxes decoded from anchors, then suppressed: at most 200, since suppression takes time with their square."""
    classes = draw(st.integers(1, 20))
    batch, count = draw(_crowds(spec.elements, max(6, classes + 1)))
    force, best = draw(st.booleans()), draw(st.integers(1, 200))
    return _detections(batch, count, classes, nms_threshold=draw(THRESHOLDS), force_suppress=force, nms_topk=best)


@detection_rule(
    "_contrib_box_nms",
    canonical=by_profile(
        _suppressed(1, 64), _suppressed(4, 256), _suppressed(8, 2048, topk=200), _suppressed(1, 10_000, topk=100)
    ),
    contents=suppressible,
    varied={"data": "the number of classes is no size of the call"},
)
def suppression(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Rows of class, score and box; within a class or across classes; in two formats, with conversion."""
    batch, count = draw(_crowds(spec.elements, 6))
    options: dict[str, Value] = {
        "overlap_thresh": draw(THRESHOLDS),
        "force_suppress": draw(st.booleans()),
        "in_format": draw(FORMATS),
        "out_format": draw(FORMATS),
        "topk": draw(st.integers(1, 200)),
    }
    return _suppressed(batch, count, draw(st.integers(1, 20)), **options)


@detection_rule("_contrib_box_iou", canonical=OVERLAPS, contents={"lhs": UNIT, "rhs": UNIT})
def overlaps(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """(*left, 4) and (*right, 4) boxes to (*left, *right) ratios of intersection and union."""
    limit = int((spec.elements // 4) ** 0.5)
    left, right = draw(shapes(1, 2, limit)), draw(shapes(1, 2, limit))
    lhs, rhs = Draft((*left, 4)), Draft((*right, 4))
    return inputs(lhs=lhs, rhs=rhs, format=draw(FORMATS))


@detection_rule("_contrib_box_encode", canonical=ENCODING, contents=encoded)
def encoding(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Anchors of each image as offsets from the true boxes they match; a match out of range reads foreign memory."""
    batch, count = draw(_crowds(spec.elements, 4))
    return _encoded(batch, count, draw(st.integers(1, max(1, min(8, count)))))


@detection_rule("_contrib_box_decode", canonical=DECODING, contents={"anchors": UNIT})
def decoding(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Offsets (N, boxes, 4) from anchors that all images share; clipped at a bound or not."""
    batch, count = draw(_crowds(spec.elements, 4))
    data, shared = Draft((batch, count, 4)), Draft((1, count, 4))
    return inputs(data=data, anchors=shared, format=draw(FORMATS), clip=draw(st.sampled_from((-1.0, 0.5))))


@detection_rule(
    "_contrib_bipartite_matching",
    canonical=at_shapes(by_profile((1, 32, 32), (2, 128, 64), (1, 256, 128), (1, 10_000, 4)), threshold=0.1),
    # Sorting the scores of each batch, of all pairs together.
    flops=lambda case: sorted_elements(case.elements("data"), prod(case.shape("data")[-2:])),
    contents={"data": CHANCE},
)
def matching(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Scores (*batch, rows, columns), matched greedily from the best on, down to a threshold."""
    shape = draw(shapes(2, 4, min(spec.elements, 2**15)))
    options = {"is_ascend": draw(st.booleans()), "topk": draw(st.sampled_from((-1, 1, 10)))}
    return inputs(data=Draft(shape), threshold=draw(THRESHOLDS), **options)


@detection_rule("_contrib_Proposal", "_contrib_MultiProposal", canonical=PROPOSALS, contents=proposed)
def proposals(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Regions from a feature map with 12 anchors a cell; one image for Proposal, several for MultiProposal."""
    batch = draw(st.integers(1, 3)) if spec.name == "_contrib_MultiProposal" else 1
    side = max(1, min(32, int((spec.elements // (48 * batch)) ** 0.5)))
    height, width = draw(extents(1, side)), draw(extents(1, side))
    before = draw(extents(12, 600))
    after = draw(extents(1, max(1, min(before, 300, spec.elements // (5 * batch)))))
    return _proposed(batch, height, width, before, after, threshold=draw(THRESHOLDS), rpn_min_size=STRIDE)
