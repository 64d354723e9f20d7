"""Repeated looks at the figures of an interleaved comparison while it runs.

To look again and again, and to stop when a figure pleases, finds changes where there are none. So the error of 5% is
divided among the looks in advance: the simplest way to spend it (Lan and DeMets, "Discrete sequential boundaries for
clinical trials", Biometrika 1983; by Bonferroni's inequality it holds for looks that depend on each other). Each p
value is multiplied by the number of looks, and each interval has the level of one look, in the report too.
"""

from __future__ import annotations

import numpy as np

from autoperf.analysis.noise import Array
from autoperf.analysis.ratios import LEVEL

MAX_LOOKS = 4
"""After the second, third, fourth and fifth pair of processes; later pairs are not followed by a look."""


def look_level(looks: int) -> float:
    """The level of the interval of one of so many looks."""
    return 1 - (1 - LEVEL) / max(1, looks)


def spent(p: Array, looks: int) -> Array:
    """The p values of the last of so many looks."""
    return np.minimum(1.0, p * max(1, looks))
