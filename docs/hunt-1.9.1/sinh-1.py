"""sinh, backward, on MXNet 1.9.1: 2.22 times as slow as a neighbour that does equal work.

slow       116 us a call, where 51.8 us were expected
fast       51.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.22 times, 95% interval 2.16 to 2.29, with 1 thread
family     float16
neighbour  2.22 times: float64: as many elements, 4 times the bytes
roofline   7.49 times: this machine can move and compute as much in that time

Measure it again: python sinh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sinh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("sinh/98c2c499", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("sinh/53ad8a9c", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.49, threads=1))
