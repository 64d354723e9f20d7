"""The version of the measuring method.

It is raised when the same build on the same machine would get other results. Run files and pages of measurements state
it, and comparisons report a difference.
"""

from __future__ import annotations

METHOD = 2
"""1: a warm-up ended when times no longer fell. 2: it ends when calls take no fresh memory that they won't take for
good, samples that do are taken again; the reference speed is the typical reading of the probe at full speed, and what
was taken at it is as measured; wall times are taken before kernel times, and calls below 1 ms after uncounted
ones."""
FIRST = 1
"""The method of files that don't state one."""
