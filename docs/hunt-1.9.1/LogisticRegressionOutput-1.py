"""LogisticRegressionOutput, backward, on MXNet 1.9.1: 2.44 times as slow as a neighbour that does equal work.

slow       106 us a call, where 42.2 us were expected
fast       42.2 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.44 times, 95% interval 2.32 to 2.54, with 1 thread
family     float16
also       forward, 3.21 times
neighbour  2.44 times: float64: as many elements, 4 times the bytes
roofline   6.73 times: this machine can move and compute as much in that time

Measure it again: python LogisticRegressionOutput-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LogisticRegressionOutput",
    category="loss",
    mxnet="1.9.1",
    seed=0,
)


@case("LogisticRegressionOutput/3aafd0e8", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
        label=tensor((4096,), "float16", uniform(0.05, 0.95)),
    )


@case("LogisticRegressionOutput/1cf0eac0", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float64", uniform(-1.0, 1.0)),
        label=tensor((4096,), "float64", uniform(0.05, 0.95)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.56, threads=1))
