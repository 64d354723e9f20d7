"""softmax, forward, on MXNet 2.0.0b1: 30.5 times as slow as a neighbour that does equal work.

slow       2,579 us a call, where 89.8 us were expected
fast       89.8 us a call
step       float32
ratio      30.5 times, 95% interval 27.9 to 36.0, with 1 thread
family     dtype is float16
neighbour  28.7 times: float32 takes 3% of the time
roofline   113 times: this machine can move and compute as much in that time

Measure it again: python softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 5.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=1,
)


@case("softmax/616e46b9", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("softmax/553cb06d", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=5.53, threads=1))
