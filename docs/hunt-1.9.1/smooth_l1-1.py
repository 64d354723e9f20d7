"""smooth_l1, backward, on MXNet 1.9.1: 2.03 times as slow as a neighbour that does equal work.

slow       94.3 us a call, where 37.7 us were expected
fast       37.7 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.03 times, 95% interval 1.90 to 2.19, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.35 times
neighbour  2.03 times: float64: as many elements, 4 times the bytes
roofline   6.07 times: this machine can move and compute as much in that time
forward    1.35 times: the forward pass of the same input

Measure it again: python smooth_l1-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="smooth_l1",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("smooth_l1/8e9a3d90", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("smooth_l1/ed7ab3ed", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.43, threads=1))
