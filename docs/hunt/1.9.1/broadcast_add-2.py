"""broadcast_add, backward, on MXNet 1.9.1: 2.38 times as slow as a neighbour that does equal work.

slow       107 us a call, where 45.5 us were expected
fast       45.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.38 times, 95% interval 2.32 to 2.43, with 1 thread
family     float16, and the last dimension of lhs is at most 834
also       forward, 4.20 times
neighbour  2.38 times: float64: as many elements, 4 times the bytes
roofline   9.33 times: this machine can move and compute as much in that time
forward    3.79 times: the forward pass of the same input

Measure it again: python broadcast_add-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_add",
    category="broadcast",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_add/cdf366ef", profile="finding")
def slow():
    return dict(
        lhs=tensor((1, 1), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((32, 13), "float16", uniform(-1.0, 1.0)),
    )


@case("broadcast_add/fcaa36e0", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 1), "float64", uniform(-1.0, 1.0)),
        rhs=tensor((32, 13), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.54, threads=1))
