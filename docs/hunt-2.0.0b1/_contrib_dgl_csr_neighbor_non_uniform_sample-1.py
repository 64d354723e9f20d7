"""_contrib_dgl_csr_neighbor_non_uniform_sample, forward, on MXNet 2.0.0b1: 2.76 times as slow as a neighbour that does equal work.

slow       447 us a call, where 161 us were expected
fast       161 us a call
step       no max_num_vertices
ratio      2.76 times, 95% interval 2.51 to 2.91, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.76 times: no max_num_vertices
roofline   13.4 times: this machine can move and compute as much in that time

Measure it again: python _contrib_dgl_csr_neighbor_non_uniform_sample-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.66 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, distinct, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_dgl_csr_neighbor_non_uniform_sample",
    category="graph",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_dgl_csr_neighbor_non_uniform_sample/85b35806", profile="finding")
def slow():
    return dict(
        csr_matrix=tensor((1024, 1024), "int64", integers(1, 1048577), storage="csr", density=0.1),
        probability=tensor((1024,), "float32", uniform(0.1, 1.0)),
        seed_arrays=[tensor((32,), "int64", distinct(1024, True))],
        max_num_vertices=512,
        num_args=3,
        num_hops=2,
        num_neighbor=3,
    )


@case("_contrib_dgl_csr_neighbor_non_uniform_sample/c2a8acec", profile="contrast")
def fast():
    return dict(
        csr_matrix=tensor((1024, 1024), "int64", integers(1, 1048577), storage="csr", density=0.1),
        probability=tensor((1024,), "float32", uniform(0.1, 1.0)),
        seed_arrays=[tensor((32,), "int64", distinct(1024, True))],
        num_args=3,
        num_hops=2,
        num_neighbor=3,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.66, threads=1))
