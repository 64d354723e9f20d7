"""log_softmax, forward, on MXNet 1.9.1: 5.82 times as slow as a neighbour that does equal work.

slow       385 us a call, where 66.8 us were expected
fast       33.4 us a call
step       float32: as many elements, half the bytes
ratio      5.82 times, 95% interval 5.71 to 5.90, with 1 thread
family     float64, and the length along axis is 1,024 or more, and temperature is not given
neighbour  5.82 times: float32: as many elements, half the bytes
roofline   14.3 times: this machine can move and compute as much in that time

Measure it again: python log_softmax-4.py
It times both interleaved, and exits with 1 if slow takes more than 4.83 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("log_softmax/9914af32", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float64", uniform(-1.0, 1.0)),
    )


@case("log_softmax/d4c74280", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.83, threads=1))
