"""BilinearSampler, forward, on MXNet 2.0.0b1: 10.8 times as slow as a neighbour that does equal work.

slow       435 us a call, where 38.0 us were expected
fast       38.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      10.8 times, 95% interval 10.2 to 11.7, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 6.49 times
neighbour  10.8 times: float64: as many elements, 4 times the bytes
roofline   35.8 times: this machine can move and compute as much in that time

Measure it again: python BilinearSampler-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.29 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="BilinearSampler",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("BilinearSampler/b6beac0d", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 1, 1), "float16", uniform(-1.0, 1.0)),
        grid=tensor((1, 2, 2048, 1), "float16", uniform(-0.9, 0.9)),
    )


@case("BilinearSampler/6e03c7db", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1, 1, 1), "float64", uniform(-1.0, 1.0)),
        grid=tensor((1, 2, 2048, 1), "float64", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.29, threads=1))
