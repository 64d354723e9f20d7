"""broadcast_add, forward, on MXNet 1.9.1: 5.55 times as slow as a neighbour that does equal work.

slow       171 us a call, where 30.7 us were expected
fast       30.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.55 times, 95% interval 5.15 to 5.64, with 1 thread
family     float16
also       backward, 9.94 times
neighbour  5.55 times: float32: as many elements, 2 times the bytes
model      5.16 times: half of 67 other inputs lie within a factor of 1.26 of it
roofline   8.26 times: this machine can move and compute as much in that time

Measure it again: python broadcast_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_add",
    category="broadcast",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_add/662d764d", profile="finding")
def slow():
    return dict(
        lhs=tensor((1,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("broadcast_add/1527cd87", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.36, threads=1))
