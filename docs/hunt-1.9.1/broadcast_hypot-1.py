"""broadcast_hypot, backward, on MXNet 1.9.1: 2.98 times as slow as a neighbour that does equal work.

slow       183 us a call, where 62.4 us were expected
fast       62.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.98 times, 95% interval 2.85 to 3.13, with 1 thread
family     float16
neighbour  2.98 times: float32: as many elements, 2 times the bytes
roofline   11.8 times: this machine can move and compute as much in that time
forward    5.63 times: the forward pass of the same input

Measure it again: python broadcast_hypot-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_hypot",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_hypot/13fe1096", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 1), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("broadcast_hypot/d99f24f7", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.73, threads=1))
