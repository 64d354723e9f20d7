"""sinh, backward, on MXNet 2.0.0b1: 2.63 times as slow as a neighbour that does equal work.

slow       2,789 us a call, where 1,066 us were expected
fast       1,066 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.63 times, 95% interval 2.55 to 2.71, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.63 times: float32: as many elements, 2 times the bytes
roofline   182 times: this machine can move and compute as much in that time
forward    1.58 times: the forward pass of the same input

Measure it again: python sinh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sinh",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("sinh/17165a61", profile="finding")
def slow():
    return dict(
        data=tensor((256, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("sinh/9b84bc09", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.62, threads=1))
