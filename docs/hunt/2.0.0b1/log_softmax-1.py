"""log_softmax, forward, on MXNet 2.0.0b1: 18.1 times as slow as a neighbour that does equal work.

slow       797 us a call, where 40.4 us were expected
fast       40.4 us a call
step       float32
ratio      18.1 times, 95% interval 16.9 to 19.2, with 1 thread
family     dtype is float16
neighbour  19.7 times: float32 takes 5% of the time
roofline   41.5 times: this machine can move and compute as much in that time

Measure it again: python log_softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=1,
)


@case("log_softmax/bb64104c", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("log_softmax/074e50f3", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.25, threads=1))
