"""Verdicts of ratios, with control of the false-discovery rate."""

from __future__ import annotations

import numpy as np

from autoperf.analysis.comparison import Verdict
from autoperf.analysis.noise import Array
from autoperf.analysis.ratios import Ratios

FALSE_DISCOVERIES = 0.05


def adjusted(p: Array) -> Array:
    """The q values of p values: the false-discovery rate at which each would be significant.

    Benjamini and Hochberg, "Controlling the false discovery rate" (1995): p times n over its rank, made monotone from
    the largest down.
    """
    order = np.argsort(p)
    ranks = np.arange(1, len(p) + 1)
    q = np.empty_like(p)
    q[order] = np.minimum(1.0, np.minimum.accumulate((p[order] * len(p) / ranks)[::-1])[::-1])
    return q


def verdicts(ratios: Ratios, q: Array, threshold: float) -> list[Verdict]:
    """The verdict of each figure.

    A change has q below 5% and a ratio beyond the threshold, up or down alike (1.05 and 1 / 1.05). `same` is an
    interval that lies within the threshold (equivalence by two one-sided tests, Schuirmann 1987).
    """
    return [_verdict(*values, threshold) for values in zip(ratios.ratio, ratios.low, ratios.high, q, strict=True)]


def _verdict(ratio: float, low: float, high: float, q: float, threshold: float) -> Verdict:
    top, bottom = 1 + threshold, 1 / (1 + threshold)
    if q < FALSE_DISCOVERIES and ratio > top:
        return Verdict.SLOWER
    if q < FALSE_DISCOVERIES and ratio < bottom:
        return Verdict.FASTER
    if bottom < low and high < top:
        return Verdict.SAME
    return Verdict.UNDECIDED
