"""_contrib_dgl_csr_neighbor_non_uniform_sample, forward, on MXNet 1.9.1: 2.41 times as slow as a neighbour that does equal work.

slow       511 us a call, where 207 us were expected
fast       207 us a call
step       no num_hops
ratio      2.41 times, 95% interval 2.30 to 2.48, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.41 times: no num_hops
roofline   15.1 times: this machine can move and compute as much in that time

Measure it again: python _contrib_dgl_csr_neighbor_non_uniform_sample-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, distinct, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_dgl_csr_neighbor_non_uniform_sample",
    category="graph",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_dgl_csr_neighbor_non_uniform_sample/97896a63", profile="finding")
def slow():
    return dict(
        csr_matrix=tensor((1024, 1024), "int64", integers(1, 1048577), storage="csr", density=0.1),
        probability=tensor((1024,), "float32", uniform(0.1, 1.0)),
        seed_arrays=[tensor((32,), "int64", distinct(1024, True))],
        max_num_vertices=256,
        num_args=3,
        num_hops=2,
    )


@case("_contrib_dgl_csr_neighbor_non_uniform_sample/3eab2122", profile="contrast")
def fast():
    return dict(
        csr_matrix=tensor((1024, 1024), "int64", integers(1, 1048577), storage="csr", density=0.1),
        probability=tensor((1024,), "float32", uniform(0.1, 1.0)),
        seed_arrays=[tensor((32,), "int64", distinct(1024, True))],
        max_num_vertices=256,
        num_args=3,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.55, threads=1))
