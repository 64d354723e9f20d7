"""softmax, forward, on MXNet 1.9.1: 30.9 times as slow as a neighbour that does equal work.

slow       1,743 us a call, where 55.7 us were expected
fast       55.7 us a call
step       float32
ratio      30.9 times, 95% interval 28.5 to 33.1, with 1 thread
family     dtype is float16
neighbour  31.3 times: float32 takes 3% of the time
roofline   88.7 times: this machine can move and compute as much in that time

Measure it again: python softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 5.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=1,
)


@case("softmax/2ca723a5", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("softmax/39e155bb", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=5.56, threads=1))
