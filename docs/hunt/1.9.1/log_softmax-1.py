"""log_softmax, forward, on MXNet 1.9.1: 13.3 times as slow as a neighbour that does equal work.

slow       400 us a call, where 30.2 us were expected
fast       30.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      13.3 times, 95% interval 12.6 to 14.2, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 4.91 times
neighbour  13.3 times: float32: as many elements, 2 times the bytes
roofline   34.3 times: this machine can move and compute as much in that time

Measure it again: python log_softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.65 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("log_softmax/708beec3", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("log_softmax/5ef3cb63", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.65, threads=1))
