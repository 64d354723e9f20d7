"""LinearRegressionOutput, backward, on MXNet 1.9.1: 4.93 times as slow as a neighbour that does equal work.

slow       291 us a call, where 59.6 us were expected
fast       59.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.93 times, 95% interval 4.72 to 5.10, with 1 thread
family     float16
neighbour  4.93 times: float32: as many elements, 2 times the bytes
roofline   17.6 times: this machine can move and compute as much in that time
forward    7.87 times: the forward pass of the same input

Measure it again: python LinearRegressionOutput-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.22 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LinearRegressionOutput",
    category="loss",
    mxnet="1.9.1",
    seed=0,
)


@case("LinearRegressionOutput/60db83ec", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        label=tensor((16384,), "float16", uniform(0.05, 0.95)),
    )


@case("LinearRegressionOutput/f50515b0", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        label=tensor((16384,), "float32", uniform(0.05, 0.95)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.22, threads=1))
