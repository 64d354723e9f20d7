"""_contrib_dgl_csr_neighbor_uniform_sample, forward, on MXNet 1.9.1: 1.98 times as slow as a neighbour that does equal work.

slow       262 us a call, where 133 us were expected
fast       133 us a call
step       no num_hops
ratio      1.98 times, 95% interval 1.86 to 2.06, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.98 times: no num_hops
roofline   7.75 times: this machine can move and compute as much in that time

Measure it again: python _contrib_dgl_csr_neighbor_uniform_sample-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, distinct, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_dgl_csr_neighbor_uniform_sample",
    category="graph",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_dgl_csr_neighbor_uniform_sample/e735a8df", profile="finding")
def slow():
    return dict(
        csr_matrix=tensor((1024, 1024), "int64", integers(1, 1048577), storage="csr", density=0.1),
        seed_arrays=[tensor((32,), "int64", distinct(1024, True))],
        max_num_vertices=511,
        num_args=2,
        num_hops=2,
    )


@case("_contrib_dgl_csr_neighbor_uniform_sample/ff98b94a", profile="contrast")
def fast():
    return dict(
        csr_matrix=tensor((1024, 1024), "int64", integers(1, 1048577), storage="csr", density=0.1),
        seed_arrays=[tensor((32,), "int64", distinct(1024, True))],
        max_num_vertices=511,
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.41, threads=1))
