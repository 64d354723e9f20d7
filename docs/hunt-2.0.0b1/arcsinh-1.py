"""arcsinh, backward, on MXNet 2.0.0b1: 2.59 times as slow as a neighbour that does equal work.

slow       204 us a call, where 83.3 us were expected
fast       83.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.59 times, 95% interval 2.48 to 2.72, with 1 thread
family     float16
neighbour  2.59 times: float32: as many elements, 2 times the bytes
roofline   16.5 times: this machine can move and compute as much in that time

Measure it again: python arcsinh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="arcsinh",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("arcsinh/e9322595", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("arcsinh/c08f50a6", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.61, threads=1))
