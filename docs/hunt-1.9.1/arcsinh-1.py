"""arcsinh, backward, on MXNet 1.9.1: 2.54 times as slow as a neighbour that does equal work.

slow       106 us a call, where 41.5 us were expected
fast       41.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.54 times, 95% interval 2.48 to 2.59, with 1 thread
family     float16
also       forward, 2.83 times
neighbour  2.54 times: float32: as many elements, 2 times the bytes
roofline   6.83 times: this machine can move and compute as much in that time

Measure it again: python arcsinh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.59 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="arcsinh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("arcsinh/ff102093", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("arcsinh/f39d3e9e", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.59, threads=1))
