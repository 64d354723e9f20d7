"""_contrib_edge_id, forward, on MXNet 1.9.1: 9.77 times as slow as a neighbour that does equal work.

slow       193 us a call, where 19.8 us were expected
fast       19.8 us a call
step       data.shape[1] of 1 and data.shape[0] of 1,081
ratio      9.77 times, 95% interval 9.59 to 9.93, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  9.77 times: data.shape[1] of 1 and data.shape[0] of 1,081
roofline   11.8 times: this machine can move and compute as much in that time

Measure it again: python _contrib_edge_id-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.13 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_edge_id",
    category="graph",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_edge_id/1cec70b7", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1081), "float32", uniform(0.1, 1.0), storage="csr", density=0.2),
        u=tensor((4096,), "int64", integers(0, 1)),
        v=tensor((4096,), "int64", integers(0, 1)),
    )


@case("_contrib_edge_id/39cbc065", profile="contrast")
def fast():
    return dict(
        data=tensor((1081, 1), "float32", uniform(0.1, 1.0), storage="csr", density=0.2),
        u=tensor((4096,), "int64", integers(0, 1)),
        v=tensor((4096,), "int64", integers(0, 1)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.13, threads=1))
