"""softmax, forward, on MXNet 1.9.1: 17.0 times as slow as a neighbour that does equal work.

slow       710 us a call, where 35.0 us were expected
fast       35.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      17.0 times, 95% interval 14.3 to 21.0, with 1 thread
family     float16
also       backward, 4.96 times
neighbour  17.0 times: float32: as many elements, 2 times the bytes
roofline   35.5 times: this machine can move and compute as much in that time

Measure it again: python softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.12 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("softmax/83f90b9f", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("softmax/c13e6394", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.12, threads=1))
