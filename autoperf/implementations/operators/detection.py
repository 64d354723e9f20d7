"""Boxes and anchors."""

from __future__ import annotations

from autoperf.implementations.implementation import line

LINES = (
    line("_contrib_box_iou", "box_iou(xp, lhs, rhs)", when="format == 'corner'"),
    line("_contrib_box_iou", "box_iou(xp, corners(xp, lhs), corners(xp, rhs))", when="format == 'center'"),
    line("_contrib_box_decode", "box_decode(xp, data, anchors, (std0, std1, std2, std3), clip, format == 'corner')"),
)
