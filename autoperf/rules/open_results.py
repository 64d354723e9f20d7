"""The results that operators leave open, which no comparison of results judges: random numbers, undefined contents."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import NamedTuple

from autoperf.core.case import Case
from autoperf.core.graph import operators_of
from autoperf.core.results import OpenResults


class OpenEntry(NamedTuple):
    """What operators of these names (globs) leave open in the cases that `holds` selects."""

    names: tuple[str, ...]
    results: OpenResults
    holds: Callable[[Case], bool] = lambda _case: True


RANDOM = OpenResults(random=True, evidence="its results are random numbers")
_ONE_NUMBER = OpenResults(undefined=("*",), evidence="one random number changes the whole image")

ENTRIES: tuple[OpenEntry, ...] = (
    OpenEntry(("Dropout", "_npx_dropout"), RANDOM, lambda case: case.training or case.params.get("mode") == "always"),
    OpenEntry(("LeakyReLU", "_npx_leaky_relu"), RANDOM, lambda case: case.params.get("act_type") == "rrelu"),
    OpenEntry(
        ("RNN", "_npx_rnn"),
        OpenResults(undefined=("*",), evidence="dropout between its layers changes all later numbers"),
        lambda case: case.training and bool(case.params.get("p")),
    ),
    OpenEntry(("_image_random_*", "_npx__image_random_*"), _ONE_NUMBER),
    OpenEntry(
        ("_contrib_dgl_csr_neighbor_*",),
        OpenResults(
            undefined=("*",),
            evidence="the vertices are sampled, and the kernel fills only as many rows as it has found: the others "
            "hold what was in memory (dgl_graph.cc, SampleSubgraph)",
        ),
    ),
    OpenEntry(
        ("_while_loop", "_npx_while_loop"),
        OpenResults(
            undefined=("output 0",),
            evidence="its documentation: an output has as many rows as there may be steps, and those beyond the last "
            "step are undefined",
        ),
    ),
)


def open_results(case: Case) -> OpenResults:
    """The results that a case leaves open.

    Of a case with a graph that has a random operator, nothing but shapes and dtypes is determined.
    """
    own = _of_operator(case.operator, case)
    if own is not None:
        return own
    inner = [name for name in operators_of(case.operator, case.graphs.values()) if _draws(name)]
    if inner and case.training:
        return OpenResults(undefined=("*",), evidence=f"{inner[0]} in its graph draws random numbers")
    return OpenResults()


def _of_operator(operator: str, case: Case) -> OpenResults | None:
    if case.category == "random":
        return None if "_pdf" in operator else RANDOM
    return next((entry.results for entry in ENTRIES if _matches(entry, operator) and entry.holds(case)), None)


def _draws(operator: str) -> bool:
    """Whether an operator in a graph may draw random numbers: the parameters of nodes aren't looked at."""
    plain = operator.startswith(("_random_", "_sample_")) and "_pdf" not in operator
    return plain or any(_matches(entry, operator) for entry in ENTRIES if operator != "_while_loop")


def _matches(entry: OpenEntry, operator: str) -> bool:
    return any(fnmatchcase(operator, name) for name in entry.names)
