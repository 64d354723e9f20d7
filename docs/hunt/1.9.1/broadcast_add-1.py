"""broadcast_add, backward, on MXNet 1.9.1: 4.45 times as slow as a neighbour that does equal work.

slow       369 us a call, where 83.1 us were expected
fast       83.1 us a call
step       rhs.shape[0] of 64
ratio      4.45 times, 95% interval 4.36 to 4.53, with 1 thread
family     dtype is float32 or float64 or float16 and rhs.shape[0] < 64
neighbour  4.44 times: rhs.shape[0] of 64 takes 23% of the time
model      3.56 times: half of 29 other inputs lie within a factor of 1.54 of it
roofline   16.7 times: this machine can move and compute as much in that time
forward    5.49 times: the forward pass of the same input

Measure it again: python broadcast_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.11 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_add",
    category="broadcast",
    mxnet="1.9.1",
    seed=1,
)


@case("broadcast_add/37d99579", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("broadcast_add/56509921", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.11, threads=1))
