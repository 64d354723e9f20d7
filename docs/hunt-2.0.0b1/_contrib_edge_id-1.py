"""_contrib_edge_id, forward, on MXNet 2.0.0b1: 7.64 times as slow as a neighbour that does equal work.

slow       268 us a call, where 35.0 us were expected
fast       35.0 us a call
step       axes 0 and 1 exchanged
ratio      7.64 times, 95% interval 7.13 to 8.10, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.64 times: axes 0 and 1 exchanged
roofline   20.5 times: this machine can move and compute as much in that time

Measure it again: python _contrib_edge_id-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.76 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_edge_id",
    category="graph",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_edge_id/2a680391", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1093), "float32", uniform(0.1, 1.0), storage="csr", density=0.2),
        u=tensor((4096,), "int64", integers(0, 1)),
        v=tensor((4096,), "int64", integers(0, 1)),
    )


@case("_contrib_edge_id/a33c0a81", profile="contrast")
def fast():
    return dict(
        data=tensor((1093, 1), "float32", uniform(0.1, 1.0), storage="csr", density=0.2),
        u=tensor((4096,), "int64", integers(0, 1)),
        v=tensor((4096,), "int64", integers(0, 1)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.76, threads=1))
