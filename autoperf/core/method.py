"""The version of the measuring method.

It is raised when the same build on the same machine would get other results. Run files and pages of measurements state
it, and comparisons report a difference.
"""

METHOD = 4
"""1: a warm-up ended when times no longer fell. 2: it ends when calls take no fresh memory that they won't take for
good, samples that do are taken again; the reference speed is the typical reading of the probe at full speed, and what
was taken at it is as measured; wall times are taken before kernel times, and calls below 1 ms after uncounted
ones. 3: wall times of calls of 1 to 10 ms are taken after an uncounted one too. 4: calls below 1 ms are taken in groups
of four between readings of the probe; both times of a call of 5 ms and more are of one loop, three samples a
process; calls of networks are taken after those that make their inputs, and after as many other bytes as a
pass uses."""
FIRST = 1
"""The method of files that don't state one."""
_SHORTER = {
    2: "times of calls with 4 MB and more",
    3: "wall times of short passes in calls of 1 to 10 ms",
    4: "wall times of calls below 1 ms, by up to 4%,",
}
"""The times that may be shorter by each method than by the one before."""


def since(method: int) -> str:
    """A page's note on the method that measured it: empty, or the changes of later methods."""
    if method == METHOD:
        return ""
    changed = " and ".join(what for number, what in _SHORTER.items() if number > method)
    return f": the method is {METHOD} now, and {changed} may be shorter"
