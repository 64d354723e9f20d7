"""Estimates a ratio and its interval from paired samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri  # type: ignore[import-untyped]

from autoperf.core.finding import Estimate

CONFIDENCE = 0.95
# Below this many pairs no order statistic of Walsh averages bounds a 95% interval.
MIN_PAIRS = 6


def ratio_of(first_us: Sequence[float], second_us: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """The ratio first / second of samples in microseconds that were taken in pairs.

    Hodges and Lehmann's estimator over the logarithms of the pairs' ratios: the median of the pairwise means
    (Walsh averages). Its interval is that of the Wilcoxon signed-rank test, by the normal approximation of its
    distribution (Hollander, Wolfe and Chicken, "Nonparametric statistical methods", 2014, section 3.3); with fewer than
    six pairs it is the range of the ratios, without a confidence level.
    """
    logs = np.log(np.asarray(first_us, dtype="float64") / np.asarray(second_us, dtype="float64"))
    count = len(logs)
    rows, columns = np.triu_indices(count)
    walsh = np.sort((logs[rows] + logs[columns]) / 2)
    middle = float(np.exp(np.median(walsh)))
    if count < MIN_PAIRS:
        return Estimate(middle, float(np.exp(logs.min())), float(np.exp(logs.max())))
    spread = float(ndtri((1 + confidence) / 2)) * np.sqrt(count * (count + 1) * (2 * count + 1) / 24)
    rank = max(0, int(np.floor(count * (count + 1) / 4 - spread)))
    return Estimate(middle, float(np.exp(walsh[rank])), float(np.exp(walsh[len(walsh) - 1 - rank])))
