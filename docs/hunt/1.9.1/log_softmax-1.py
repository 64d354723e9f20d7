"""log_softmax, forward, on MXNet 1.9.1: 15.5 times as slow as a neighbour that does equal work.

slow       397 us a call, where 27.6 us were expected
fast       27.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      15.5 times, 95% interval 13.5 to 17.2, with 1 thread
family     float16
also       backward, 4.82 times
neighbour  15.5 times: float32: as many elements, 2 times the bytes
roofline   19.8 times: this machine can move and compute as much in that time

Measure it again: python log_softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.93 times as long as fast, else with 0.
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.93, threads=1))
