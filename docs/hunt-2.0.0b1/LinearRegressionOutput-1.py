"""LinearRegressionOutput, backward, on MXNet 2.0.0b1: 2.12 times as slow as a neighbour that does equal work.

slow       93.7 us a call, where 44.1 us were expected
fast       44.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.12 times, 95% interval 2.07 to 2.15, with 1 thread
family     float16
neighbour  2.12 times: float64: as many elements, 4 times the bytes
roofline   7.61 times: this machine can move and compute as much in that time
forward    3.26 times: the forward pass of the same input

Measure it again: python LinearRegressionOutput-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LinearRegressionOutput",
    category="loss",
    mxnet="2.0.0b1",
    seed=0,
)


@case("LinearRegressionOutput/1e4a7dad", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
        label=tensor((4096,), "float16", uniform(0.05, 0.95)),
    )


@case("LinearRegressionOutput/4606d321", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float64", uniform(-1.0, 1.0)),
        label=tensor((4096,), "float64", uniform(0.05, 0.95)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
