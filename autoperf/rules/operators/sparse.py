"""Sparse matrices: graphs as CSR matrices of edge numbers (sampling, sub-graphs), rows to keep, stored elements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hypothesis import strategies as st

from autoperf.core.case import Case
from autoperf.core.tensors import AnyContent, Shape, Uniform
from autoperf.core.work import no_arithmetic
from autoperf.rules.rule import Draft, Inputs, InputSpec, inputs, rule, tensor
from autoperf.rules.table import ascending, below, by_profile, sized, up_to
from autoperf.strategies import extents, shapes

sparse_rule = partial(rule, category="sparse")

MAX_VERTICES = 512
DENSITY = 0.1
CHANCE = Uniform(0.1, 1.0)


def _graph(vertices: int) -> Draft:
    return tensor(vertices, vertices, dtype="int64", storage="csr", density=DENSITY)


def contents(case: Case) -> Mapping[str, AnyContent]:
    """Numbers of edges in CSR, whole and above zero; distinct vertices, ascending; a chance of each vertex."""
    graphs = [item.name for item in case.inputs if item.tensor.storage == "csr"]
    vertices = case.inputs[0].tensor.shape[0]
    # A graph that was sampled has a vector of its vertices' numbers, which ends with their number.
    count = vertices + 1 if case.operator == "_contrib_dgl_graph_compact" else vertices
    return {
        **{item.name: ascending(count) for item in case.inputs if item.tensor.dtype == "int64"},
        **dict.fromkeys(graphs, up_to(vertices * vertices)),
        "probability": CHANCE,
    }


graph_rule = partial(rule, category="graph", inferable=False, contents=contents)


_vertices = partial(tensor, dtype="int64")


def most_vertices(spec: InputSpec) -> int:
    """The largest graph whose dense matrix is within the budget."""
    return max(4, min(MAX_VERTICES, int(spec.elements**0.5)))


ADJACENCY = {"small": inputs(data=_graph(32)), "common": inputs(data=_graph(256)), "large": inputs(data=_graph(1024))}


@graph_rule("_contrib_dgl_adjacency", canonical=ADJACENCY)
def adjacency(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A square CSR matrix of edge numbers."""
    return inputs(data=_graph(draw(extents(4, most_vertices(spec)))))


def _sample(vertices: int, seeds: int, hops: int, neighbours: int, lists: int = 1) -> Inputs:
    return inputs(
        csr_matrix=_graph(vertices),
        seed_arrays=[_vertices(seeds)] * lists,
        num_args=1 + lists,
        num_hops=hops,
        num_neighbor=neighbours,
        max_num_vertices=vertices,
    )


SAMPLES = {"small": _sample(32, 4, 1, 2), "common": _sample(256, 16, 1, 4), "large": _sample(1024, 32, 2, 4)}


@st.composite
def _samples(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    vertices = draw(extents(4, most_vertices(spec)))
    seeds = draw(extents(1, max(1, vertices // 4)))
    return _sample(vertices, seeds, draw(st.integers(1, 2)), draw(st.integers(1, 4)), draw(st.integers(1, 3)))


@graph_rule("_contrib_dgl_csr_neighbor_uniform_sample", canonical=SAMPLES)
def uniform_sample(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Distinct seed vertices of the graph, and room for every vertex that the hops may reach."""
    return draw(_samples(spec))


def _weighted(sample: Inputs) -> Inputs:
    graph = sample.tensors["csr_matrix"]
    assert isinstance(graph, Draft)
    chances = tensor(graph.shape[0], dtype="float32")
    tensors = {"csr_matrix": graph, "probability": chances, "seed_arrays": sample.tensors["seed_arrays"]}
    return Inputs(tensors, {**sample.params, "num_args": 2 + len(sample.tensors["seed_arrays"])})  # type: ignore[arg-type]


@graph_rule(
    "_contrib_dgl_csr_neighbor_non_uniform_sample",
    canonical=sized(lambda _spec, sample: _weighted(sample), SAMPLES),
    dtype="int64",
    dims={"csr_matrix": "v v", "probability": "v"},
)
def weighted_sample(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A sample like the uniform one, with a positive weight for each vertex."""
    return _weighted(draw(_samples(spec)))


def _subgraph(vertices: int, kept: int, lists: int = 1, mapping: bool = True) -> Inputs:
    return inputs(graph=_graph(vertices), data=[_vertices(kept)] * lists, num_args=1 + lists, return_mapping=mapping)


@graph_rule(
    "_contrib_dgl_subgraph",
    canonical={"small": _subgraph(32, 8), "common": _subgraph(256, 64), "large": _subgraph(1024, 256)},
)
def subgraph(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Distinct vertices, ascending, and whether to return which edges of the graph were kept."""
    vertices = draw(extents(4, most_vertices(spec)))
    return _subgraph(vertices, draw(extents(1, vertices)), draw(st.integers(1, 3)), draw(st.booleans()))


def _sampled(vertices: int, graphs: int = 1, mapping: bool = False) -> Inputs:
    """Sampled graphs, then the numbers of each one's vertices, followed by their number."""
    numbers = _vertices(vertices + 1)
    return inputs(
        graph_data=[_graph(vertices)] * graphs + [numbers] * graphs,
        num_args=2 * graphs,
        return_mapping=mapping,
        graph_sizes=(vertices,) * graphs,
    )


@graph_rule(
    "_contrib_dgl_graph_compact", canonical={"small": _sampled(32), "common": _sampled(256), "large": _sampled(1024)}
)
def compact(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """One to three graphs of which every vertex was sampled; a vector of n + 1 ascending numbers from 0 ends with n."""
    return _sampled(draw(extents(4, most_vertices(spec))), draw(st.integers(1, 3)), draw(st.booleans()))


def _kept_rows(shape: Shape, rows: int, density: float) -> Inputs:
    indices = Draft((rows,), "int64")
    return inputs(data=Draft(shape, storage="row_sparse", density=density), indices=indices)


def _beyond_rows(case: Case) -> str:
    """The kernel for data of which every row is stored reads the row of an index without looking whether it exists."""
    rows, kept = case.shape("data")[0], case.elements("indices")
    return f"{kept} different rows are kept of {rows}: those beyond the last one are read" if kept > rows else ""


@sparse_rule(
    "_sparse_retain",
    flops=no_arithmetic,
    # One move for each element of the rows that are stored and kept.
    moves=lambda case: (
        min(case.shape("data")[0], case.elements("indices")) * case.tensor("data").density * case.shape("data")[1]
    ),
    canonical={
        "small": _kept_rows((32, 32), 16, 0.5),
        "common": _kept_rows((256, 256), 64, 0.5),
        "large": _kept_rows((10_000, 100), 1000, 0.2),
        "skewed": _kept_rows((10_000, 10), 100, 0.1),
    },
    contents=lambda case: {"indices": ascending(case.shape("data")[0])},
    unsafe=_beyond_rows,
)
def sparse_retain(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """Ascending, different rows to keep of a row-sparse matrix."""
    shape = draw(shapes(2, 2, spec.elements))
    return _kept_rows(shape, draw(extents(1, shape[0])), draw(st.sampled_from((0.1, 0.5, 1.0))))


def _matrix(rows: int, columns: int, density: float) -> Draft:
    return Draft((rows, columns), storage="csr", density=density)


@sparse_rule(
    "_contrib_getnnz",
    canonical={
        "small": inputs(data=_matrix(32, 32, 0.5)),
        "common": inputs(data=_matrix(256, 256, 0.2)),
        "large": inputs(data=_matrix(1024, 1024, 0.05)),
        "skewed": inputs(data=_matrix(10_000, 10, 0.1), axis=1),
    },
    flops=no_arithmetic,
    contents={"data": CHANCE},
)
def stored_elements(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A CSR matrix; counted as a whole or row by row (column by column is not implemented)."""
    rows, columns = draw(shapes(2, 2, spec.elements))
    density = draw(st.sampled_from((0.05, 0.2, 0.5)))
    return inputs(data=_matrix(rows, columns, density), axis=draw(st.sampled_from((None, 1))))


def _edges(vertices: int, count: int, density: float) -> Inputs:
    ends = Draft((count,), "int64")
    return inputs(data=_matrix(vertices, vertices, density), u=ends, v=ends)


@rule(
    "_contrib_edge_id",
    category="graph",
    # One move for each element that is stored in the rows of the edges, which are searched from their start.
    moves=lambda case: case.elements("u") * (1 + case.tensor("data").density * case.shape("data")[1]),
    canonical=by_profile(
        _edges(32, 256, 0.5), _edges(256, 4096, 0.2), _edges(1024, 100_000, 0.05), _edges(10, 10_000, 0.5)
    ),
    contents=lambda case: {"data": CHANCE, **dict.fromkeys(("u", "v"), below(case.shape("data")[0]))},
)
def edge_id(draw: st.DrawFn, spec: InputSpec) -> Inputs:
    """A graph's square CSR matrix, and the two ends of each edge that is looked up."""
    vertices = draw(extents(1, max(1, int(spec.elements**0.5))))
    return _edges(vertices, draw(extents(1, spec.elements)), draw(st.sampled_from((0.05, 0.2, 0.5))))
