"""log_softmax, forward, on MXNet 1.9.1: 4.92 times as slow as a neighbour that does equal work.

slow       101 us a call, where 20.6 us were expected
fast       20.6 us a call
step       no temperature
ratio      4.92 times, 95% interval 4.78 to 5.06, with 1 thread
family     temperature is given, and float32, and dtype is not given
also       backward, 2.36 times
neighbour  4.92 times: no temperature
roofline   4.89 times: this machine can move and compute as much in that time

Measure it again: python log_softmax-6.py
It times both interleaved, and exits with 1 if slow takes more than 2.22 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("log_softmax/c3e444f6", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        temperature=2.0,
    )


@case("log_softmax/074e50f3", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.22, threads=1))
