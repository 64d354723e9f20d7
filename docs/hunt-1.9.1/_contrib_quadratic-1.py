"""_contrib_quadratic, backward, on MXNet 1.9.1: 3.03 times as slow as a neighbour that does equal work.

slow       108 us a call, where 34.1 us were expected
fast       34.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.03 times, 95% interval 2.72 to 3.14, with 1 thread
family     float16
also       forward, 9.00 times
neighbour  3.03 times: float64: as many elements, 4 times the bytes
roofline   6.96 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quadratic-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_quadratic",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_quadratic/f2fa260e", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_quadratic/c4657200", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.74, threads=1))
