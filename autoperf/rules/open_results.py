"""The results that operators leave open, which no comparison of results judges: random numbers, undefined contents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from glob import escape
from typing import NamedTuple

import msgspec

from autoperf.core.case import Case
from autoperf.core.graph import OWN_GRAPH, Node
from autoperf.core.outcome import UPDATED, OpenResults


class OpenEntry(NamedTuple):
    """Results that operators of these names (globs) leave open, in the cases that `holds` selects."""

    names: tuple[str, ...]
    results: OpenResults
    holds: Callable[[Case], bool] = lambda _case: True


def _drops(case: Case) -> bool:
    return case.training or case.params.get("mode") == "always"


def _share(case: Case, parameter: str) -> float:
    """A share of random zeros; the parameters of a graph's operators are text."""
    return float(str(case.params.get(parameter) or 0))


RANDOM = OpenResults(random=True, evidence="its results are random numbers")


def _undefined(
    names: tuple[str, ...], evidence: str, holds: Callable[[Case], bool] = lambda _case: True, what: str = "*"
) -> OpenEntry:
    return OpenEntry(names, OpenResults(undefined=(what,), evidence=evidence), holds)


def _rounded(names: tuple[str, ...], axes: slice, evidence: str, factors: Mapping[int, float]) -> Iterator[OpenEntry]:
    """Entries with the factor on rounding of a first input one of whose axes is longer than its key; longest first."""

    def is_longer(beyond: int) -> Callable[[Case], bool]:
        return lambda case: any(length > beyond for item in case.inputs[:1] for length in item.tensor.shape[axes])

    for beyond, factor in factors.items():
        yield OpenEntry(names, OpenResults(rounding=factor, evidence=evidence), is_longer(beyond))


ENTRIES: tuple[OpenEntry, ...] = (
    _undefined(
        ("Dropout", "_npx_dropout"),
        "with axes, one random number decides whole rows, so that few numbers decide the moments of all",
        lambda case: _drops(case) and str(case.params.get("axes") or ()).strip("()[], ") not in ("", "None"),
    ),
    OpenEntry(("Dropout", "_npx_dropout"), RANDOM, _drops),
    _undefined(
        ("gluon_Dropout", "gluon_DropoutCell", "gluon_VariationalDropoutCell", "gluon_ZoneoutCell"),
        "one random number of a step changes all later ones",
        _drops,
    ),
    _undefined(
        ("gluon_LSTM", "gluon_GRU", "gluon_RNN"),
        "between layers, random numbers decide what later steps get",
        lambda case: _drops(case) and _share(case, "dropout") > 0 and case.number("num_layers") != 1,
    ),
    OpenEntry(
        ("LeakyReLU", "_npx_leaky_relu"),
        OpenResults(
            random=True,
            undefined=("output 1",),
            evidence="its slopes are random numbers, which are written into output 1 in training alone "
            "(leaky_relu-inl.h, kRReLU)",
        ),
        lambda case: case.params.get("act_type") == "rrelu",
    ),
    _undefined(
        ("RNN", "_npx_rnn"),
        "dropout between its layers changes all later numbers",
        lambda case: case.training and _share(case, "p") > 0,
    ),
    _undefined(("_image_random_*", "_npx__image_random_*"), "one random number changes the whole image"),
    _undefined(
        ("_contrib_dgl_csr_neighbor_*",),
        "the vertices are sampled, and the kernel fills only as many rows as it has found: the others "
        "hold what was in memory (dgl_graph.cc, SampleSubgraph)",
    ),
    _undefined(
        ("_while_loop", "_npx_while_loop"),
        "its documentation: an output has as many rows as there may be steps, and those beyond the last "
        "step are undefined",
        what="output 0",
    ),
    _undefined(
        ("_npi_eig", "_npi_eigvals"),
        "the eigenvalues are in no order (LAPACK's geev; documentation of numpy.linalg.eig), and vectors "
        "are determined but for a factor",
    ),
    OpenEntry(
        ("_linalg_syevd", "_linalg_gelqf", "_npi_eigh", "_npi_svd", "_npi_tensorinv", "_npi_tensorsolve"),
        OpenResults(
            rounding=1000,
            evidence="an error is that of rounding, times the condition of the matrix, or over the gap between "
            "neighbouring values (LAPACK Users' Guide, section 4.4 on error bounds)",
        ),
    ),
    *_rounded(
        ("CTCLoss", "_npx_ctc_loss"),
        slice(1),
        "it exponentiates logarithms of products over all steps: of 64 steps and classes they are about -266, whose "
        "rounding in float32 is 1.5e-5, of 500 steps and 10 classes -1,150 and 6e-5",
        {2**7: 100, 0: 10},
    ),
    *_rounded(
        ("SpatialTransformer",),
        slice(2, None),
        "a place is a sum that is rounded by 6e-8 of the map's size, and neighbours may differ by all of "
        "their magnitude",
        {2**8: 1000, 0: 10},
    ),
    *_rounded(
        ("LayerNorm", "_npx_layer_norm"),
        slice(None),
        "its mean and variance are sums over the axis in any order",
        {2**14: 10},
    ),
    _undefined(
        ("_image_adjust_lighting", "_npx__image_adjust_lighting"),
        "of an image with one channel it writes nothing (image_random-inl.h, AdjustLightingImpl)",
        lambda case: any(item.tensor.shape[-1] == 1 for item in case.inputs[:1]),
        what="output",
    ),
)

_FIX_GAMMA = frozenset({"BatchNorm", "BatchNorm_v1", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm"})
"""With fix_gamma, which is their default, they take their second input for 1 whatever it holds, and may write 1 there.

BatchNorm_v1 does so in every pass (batch_norm_v1-inl.h, Forward), BatchNorm not in a compiled graph in inference.
"""


def open_results(case: Case) -> OpenResults:
    """The results that a case leaves open.

    Of one with a graph that has an operator with open results, nothing but shapes and dtypes is determined.
    """
    own = _of_operator(case)
    if own is not None:
        return own
    nodes = (node for graph in case.graphs.values() for node in graph.nodes)
    opening = next((node.operator for node in nodes if _of_operator(_case_of(node, case))), "")
    if opening:
        return OpenResults(undefined=("*",), evidence=f"{opening} in its graph leaves its results open")
    unread = [item.name for item in case.inputs[1:2]] if _fixes_gamma(case) else []
    for graph in case.graphs.values() if case.way in OWN_GRAPH else ():
        names = dict(zip(graph.input_order(), (item.name for item in case.arguments), strict=False))
        gammas = (node.inputs[1] for node in graph.nodes if len(node.inputs) > 1 and _fixes_gamma(_case_of(node, case)))
        unread += [names[gamma] for gamma in gammas if gamma in names]
    undefined = tuple(f"{UPDATED}{escape(name)}" for name in unread)
    return OpenResults(undefined=undefined, evidence="fix_gamma: gamma is taken for 1" if unread else "")


def _fixes_gamma(case: Case) -> bool:
    return case.operator in _FIX_GAMMA and case.flag("fix_gamma", default=True)


def _case_of(node: Node, case: Case) -> Case:
    return msgspec.structs.replace(case, operator=node.operator, params=node.params, graphs={})


def _of_operator(case: Case) -> OpenResults | None:
    name = case.operator
    if case.category == "random" or name.startswith(("_random_", "_sample_")):
        return None if "_pdf" in name else RANDOM
    matching = (entry for entry in ENTRIES if any(fnmatchcase(name, pattern) for pattern in entry.names))
    return next((entry.results for entry in matching if entry.holds(case)), None)
