"""erfinv, backward, on MXNet 1.9.1: 2.44 times as slow as a neighbour that does equal work.

slow       106 us a call, where 43.0 us were expected
fast       43.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.44 times, 95% interval 2.39 to 2.48, with 1 thread
family     float16
also       forward, 2.54 times
neighbour  2.44 times: float64: as many elements, 4 times the bytes
roofline   6.85 times: this machine can move and compute as much in that time

Measure it again: python erfinv-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="erfinv",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("erfinv/e6c0060c", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-0.9, 0.9)),
    )


@case("erfinv/43b12dcc", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.56, threads=1))
