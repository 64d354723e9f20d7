"""expm1, backward, on MXNet 1.9.1: 1.91 times as slow as a neighbour that does equal work.

slow       149 us a call, where 50.8 us were expected
fast       50.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      1.91 times, 95% interval 1.76 to 2.15, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.81 times
neighbour  1.91 times: float64: as many elements, 4 times the bytes
roofline   9.61 times: this machine can move and compute as much in that time
forward    2.30 times: the forward pass of the same input

Measure it again: python expm1-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="expm1",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("expm1/16ce7881", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("expm1/11252791", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.38, threads=1))
