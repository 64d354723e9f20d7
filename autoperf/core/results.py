"""Results of a case as values: what an operator leaves open, fingerprints, and a difference between two sides."""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec

OUTPUT, GRADIENT, UPDATED, RESULTS = "output", "gradient of ", "updated ", "results"
"""How results are named: `output` or `output 1`, `gradient of data`, `updated weight`; all of them together."""


class OpenResults(msgspec.Struct, frozen=True):
    """The results that an operator leaves open.

    `random`: they are random numbers, of which only shapes, dtypes and moments are determined. `undefined` are the
    names of results, or globs, of which only shapes and dtypes are determined. `rounding` is the factor by which the
    operator amplifies the rounding of its sums. `evidence` says how that is known.
    """

    random: bool = False
    undefined: tuple[str, ...] = ()
    rounding: float = 1.0
    evidence: str = ""

    def leaves(self, result: str) -> bool:
        """Whether the contents of a result are undefined."""
        return any(fnmatchcase(result, name) for name in self.undefined)


def either_open(first: OpenResults, second: OpenResults) -> OpenResults:
    """The results that one of two leaves open."""
    return OpenResults(
        first.random or second.random,
        (*first.undefined, *second.undefined),
        max(first.rounding, second.rounding),
        first.evidence or second.evidence,
    )


PRESENCE, NUMBER, SHAPE, DTYPE, STORAGE, VALUE = "presence", "number", "shape", "dtype", "storage", "value"
"""The properties of a result besides its statistics."""


class ResultDifference(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first result that two sides don't have in common, or that timed calls don't share with the trial.

    `base` and `new` are its `compared` property on both sides, as text. Of differing values, those with the largest
    `error` stand at `place`, and `count` of `elements` are beyond the tolerance. `draw` is the number of the drawn
    contents. `timed`: the timed calls of a side differ from its trial, which is then `base`.
    """

    result: str
    compared: str
    base: str
    new: str
    place: tuple[int, ...] = ()
    error: float | None = None
    count: int = 0
    elements: int = 0
    draw: int = 1
    timed: bool = False

    @property
    def output(self) -> int | None:
        """The number of the output that differs; None for another result."""
        kind, _, number = self.result.partition(" ")
        return int(number or 0) if kind == OUTPUT else None

    def words_of(self, base: str, new: str) -> str:
        """As `words`, with the names of both sides: `largest error 0.3 at (0, 1): 1.3 in new, in base 1.0`."""
        return self.words.replace(", expected ", f" {new}, {base} ")

    @property
    def words(self) -> str:
        """`output: largest error 0.3 at (0, 1): 1.3, expected 1.0; 3 of 64 elements differ`."""
        more = f"; {self.count:,} of {self.elements:,} elements differ" if self.count else ""
        return f"{self.result}: {self._difference}{more}"

    @property
    def _difference(self) -> str:
        if self.compared == VALUE:
            place = ", ".join(map(str, self.place))
            error = "" if self.error is None else f" {self.error:.3g}"
            return f"largest error{error} at ({place}): {self.new}, expected {self.base}"
        return f"{self.compared} {self.new}, expected {self.base}"


class ResultPrint(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fingerprint of one result: enough to find another result, tolerant of rounding.

    `tolerance` is the error that an element may have. Of finite numbers there are `least`, `largest`, `mean`, the root
    of the mean square `rms`, and `sums`, each with another drawn sign for each element, divided by the root of their
    number: one wrong element changes them by more than rounding does. `values` stand at the drawn `places` of the
    flattened array, null where one isn't finite. `specials` are the numbers of NaN, of infinity and of minus infinity.
    A random result has neither sums nor values, and an `undefined` one only a shape and a dtype.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    tolerance: float
    storage: str = ""
    least: float = 0.0
    largest: float = 0.0
    mean: float = 0.0
    rms: float = 0.0
    sums: tuple[float, ...] = ()
    places: tuple[int, ...] = ()
    values: tuple[float | None, ...] = ()
    specials: tuple[int, int, int] = (0, 0, 0)
    random: bool = False
    undefined: bool = False
