"""How the code that two calls execute differs: the functions in which they spend other numbers of instructions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from autoperf.core.counts import KERNELS, CodeCount, Functions, Part
from autoperf.counts.functions import MIN_SHARE

_NAMES = tuple(part.value for part in Part if part is not Part.ALLOCATOR)


class FunctionChange(msgspec.Struct, frozen=True):
    """The instructions of a function in both calls; 0 where a call doesn't execute it."""

    name: str
    part: str
    base: int
    new: int

    @property
    def change(self) -> int:
        """The instructions that NEW spends more."""
        return self.new - self.base


class CodeDifference(msgspec.Struct, frozen=True):
    """What two calls execute.

    `identical`: the kernels spend as many instructions in the same functions. `functions` has those that differ, by the
    size of their difference. `base` and `new` are the instructions of kernels, `parts` those of each part on both
    sides.
    """

    identical: bool
    base: int
    new: int
    functions: tuple[FunctionChange, ...]
    parts: dict[str, tuple[int, int]]


def difference(base: CodeCount, new: CodeCount) -> CodeDifference:
    """The difference of two calls."""
    identical = base.digest == new.digest
    executed = {*base.parts, *new.parts}
    return CodeDifference(
        identical=identical,
        base=base.kernels,
        new=new.kernels,
        functions=() if identical else tuple(_changes(base, new)),
        parts={name: (base.parts.get(name, 0), new.parts.get(name, 0)) for name in _NAMES if name in executed},
    )


def _changes(base: CodeCount, new: CodeCount) -> Iterator[FunctionChange]:
    """The functions of kernels that differ, the largest difference first.

    A function that one side doesn't list has less than its smallest listed share there: it counts if it differs by
    more.
    """
    before, after = _by_name(base.functions), _by_name(new.functions)
    unlisted = MIN_SHARE * max(base.instructions, new.instructions)
    changes = [FunctionChange(*key, before[key], after[key]) for key in dict.fromkeys([*before, *after])]
    least = {change: 0 if change.base and change.new else unlisted for change in changes}
    differing = (change for change in changes if abs(change.change) > least[change])
    return iter(sorted(differing, key=lambda change: (-abs(change.change), change.name)))


def _by_name(functions: Functions) -> Counter[tuple[str, str]]:
    """The instructions by name and part; a function of MXNet 1 keeps its name in 2, where MKLDNN is called DNNL."""
    found: Counter[tuple[str, str]] = Counter()
    for item in functions:
        if item.part in KERNELS:
            found[item.name.replace("MKLDNN", "DNNL"), item.part.value] += item.instructions
    return found
