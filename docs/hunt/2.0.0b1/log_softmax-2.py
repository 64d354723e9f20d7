"""log_softmax, backward, on MXNet 2.0.0b1: 4.97 times as slow as a neighbour that does equal work.

slow       529 us a call, where 106 us were expected
fast       106 us a call
step       axes 0 and 1 made one
ratio      4.97 times, 95% interval 4.88 to 5.08, with 1 thread
family     dtype is not float16 and data.shape[-1] <= 2
neighbour  4.97 times: axes 0 and 1 made one takes 20% of the time
model      4.31 times: half of 28 other inputs lie within a factor of 1.21 of it
roofline   23.1 times: this machine can move and compute as much in that time
kin        1.29 times: softmax of the same input

Measure it again: python log_softmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.23 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=1,
)


@case("log_softmax/e2c6e6be", profile="finding")
def slow():
    return dict(
        data=tensor((16384, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("log_softmax/5d53f2c6", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.23, threads=1))
