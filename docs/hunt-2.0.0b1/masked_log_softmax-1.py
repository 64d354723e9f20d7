"""masked_log_softmax, forward, on MXNet 2.0.0b1: 2.84 times as slow as a neighbour that does equal work.

slow       106 us a call, where 37.7 us were expected
fast       37.7 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.84 times, 95% interval 2.77 to 2.88, with 1 thread
family     float16
neighbour  2.84 times: float64: as many elements, 4 times the bytes
roofline   8.79 times: this machine can move and compute as much in that time

Measure it again: python masked_log_softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.69 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="masked_log_softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("masked_log_softmax/5f8f0fe6", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
        mask=tensor((1,), "bool", mask(0.5)),
    )


@case("masked_log_softmax/2a0e7f4c", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(-1.0, 1.0)),
        mask=tensor((1,), "bool", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.69, threads=1))
