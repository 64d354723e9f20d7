"""softmax, backward, on MXNet 2.0.0b1: 2.25 times as slow as a neighbour that does equal work.

slow       118 us a call, where 52.4 us were expected
fast       52.4 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.25 times, 95% interval 2.09 to 2.37, with 1 thread
family     float16
also       forward, 2.74 times
neighbour  2.25 times: float64: as many elements, 4 times the bytes
model      1.95 times: half of 42 other inputs lie within a factor of 1.25 of it
roofline   9.78 times: this machine can move and compute as much in that time
kin        1.54 times: log_softmax of the same input

Measure it again: python softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=5,
)


@case("softmax/a0f5fa7a", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("softmax/1ed4cb54", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.5, threads=1))
