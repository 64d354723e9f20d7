"""log_softmax, forward, on MXNet 1.9.1: 17.6 times as slow as a neighbour that does equal work.

slow       541 us a call, where 30.9 us were expected
fast       30.9 us a call
step       axes 0 and 1 made one
ratio      17.6 times, 95% interval 16.7 to 18.9, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 3.54 times
neighbour  17.6 times: axes 0 and 1 made one
roofline   44.0 times: this machine can move and compute as much in that time
kin        2.16 times: softmax of the same input

Measure it again: python log_softmax-3.py
It times both interleaved, and exits with 1 if slow takes more than 4.2 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("log_softmax/bfab1efa", profile="finding")
def slow():
    return dict(
        data=tensor((8192, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("log_softmax/074e50f3", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.2, threads=1))
