"""LogisticRegressionOutput, backward, on MXNet 2.0.0b1: 4.31 times as slow as a neighbour that does equal work.

slow       253 us a call, where 59.3 us were expected
fast       59.3 us a call
step       float64: as many elements, 4 times the bytes
ratio      4.31 times, 95% interval 4.05 to 4.48, with 1 thread
family     float16
also       forward, 3.67 times
neighbour  4.31 times: float64: as many elements, 4 times the bytes
roofline   19.1 times: this machine can move and compute as much in that time

Measure it again: python LogisticRegressionOutput-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.08 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LogisticRegressionOutput",
    category="loss",
    mxnet="2.0.0b1",
    seed=0,
)


@case("LogisticRegressionOutput/d5ac0378", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        label=tensor((16384,), "float16", uniform(0.05, 0.95)),
    )


@case("LogisticRegressionOutput/1396e2f5", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float64", uniform(-1.0, 1.0)),
        label=tensor((16384,), "float64", uniform(0.05, 0.95)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.08, threads=1))
