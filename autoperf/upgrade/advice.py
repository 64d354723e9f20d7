"""What to do for a call that doesn't move or becomes slower: another name, and workarounds that were measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from autoperf.core.case import Case
from autoperf.core.outcome import Outcome
from autoperf.hunt.equivalents import plain_name
from autoperf.hunt.registry_causes import is_broadcast
from autoperf.registry.spellings import function_of
from autoperf.rules.replacements import EARLIER, MOVED, WORKAROUNDS

PAGE = "docs/hunts/1.9.1-sources.md"
IN_FULL = "hold a constant operand in full, or bring it to full size by a product with ones"


def other_names(operator: str, known: Iterable[str]) -> list[str]:
    """The names of a release that may stand for an operator, the likelier first; whether they do is to be tried.

    They are the same function of NumPy, the operator that an earlier version became, or one of the same name in another
    namespace.
    """
    moved = {**MOVED, **{new: old for old, new in MOVED.items()}}
    first = [moved.get(operator, ""), operator.removesuffix(EARLIER)]
    alike = sorted(name for name in known if plain_name(name) == plain_name(operator) and "backward" not in name)
    alike.sort(key=lambda name: function_of(name) != function_of(operator))
    listed = set(known)
    return [name for name in dict.fromkeys((*first, *alike)) if name != operator and name in listed]


def workarounds(call: Case | Outcome) -> Iterator[str]:
    """The workarounds that apply to a slow call of MXNet; PAGE has their times."""
    dtypes = frozenset(item.tensor.dtype for item in call.inputs)
    largest = max((item.tensor.shape for item in call.inputs), key=prod, default=())
    row = (largest or (1,))[-1]
    words = [each.words for each in WORKAROUNDS if each.holds(call.operator, dtypes, row)]
    yield from (f"{each} ({PAGE})" for each in [*words, *([IN_FULL] if is_broadcast(call) else [])])
