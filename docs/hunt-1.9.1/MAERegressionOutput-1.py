"""MAERegressionOutput, backward, on MXNet 1.9.1: 3.17 times as slow as a neighbour that does equal work.

slow       130 us a call, where 41.4 us were expected
fast       41.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.17 times, 95% interval 3.08 to 3.25, with 1 thread
family     float16
neighbour  3.17 times: float32: as many elements, 2 times the bytes
roofline   8.28 times: this machine can move and compute as much in that time
forward    4.60 times: the forward pass of the same input

Measure it again: python MAERegressionOutput-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="MAERegressionOutput",
    category="loss",
    mxnet="1.9.1",
    seed=0,
)


@case("MAERegressionOutput/96c9ba7d", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
        label=tensor((4096,), "float16", uniform(0.05, 0.95)),
    )


@case("MAERegressionOutput/0edb06d6", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
        label=tensor((4096,), "float32", uniform(0.05, 0.95)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.78, threads=1))
