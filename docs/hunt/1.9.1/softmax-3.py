"""softmax, forward, on MXNet 1.9.1: 7.75 times as slow as a neighbour that does equal work.

slow       259 us a call, where 33.5 us were expected
fast       33.5 us a call
step       no temperature
ratio      7.75 times, 95% interval 7.10 to 8.49, with 1 thread
family     temperature is given, and float32, and use_length=False, and dtype is not given
neighbour  7.75 times: no temperature
roofline   12.0 times: this machine can move and compute as much in that time

Measure it again: python softmax-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("softmax/2b2d4df7", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        temperature=2.0,
    )


@case("softmax/39e155bb", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.78, threads=1))
