"""softmax, forward, on MXNet 2.0.0b1: 9.86 times as slow as a neighbour that does equal work.

slow       195 us a call, where 19.9 us were expected
fast       19.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      9.86 times, 95% interval 9.60 to 10.0, with 1 thread
family     this input; no family of it holds on fresh draws
also       backward, 3.65 times
neighbour  9.86 times: float32: as many elements, 2 times the bytes
roofline   15.8 times: this machine can move and compute as much in that time

Measure it again: python softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.14 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.14, threads=1))
