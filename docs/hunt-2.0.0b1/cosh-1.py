"""cosh, backward, on MXNet 2.0.0b1: 1.98 times as slow as a neighbour that does equal work.

slow       2,351 us a call, where 1,144 us were expected
fast       1,144 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.98 times, 95% interval 1.90 to 2.08, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 1.91 times
neighbour  1.98 times: float32: as many elements, 2 times the bytes
roofline   154 times: this machine can move and compute as much in that time
forward    2.02 times: the forward pass of the same input

Measure it again: python cosh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="cosh",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("cosh/f7437645", profile="finding")
def slow():
    return dict(
        data=tensor((256, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("cosh/55481f38", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.41, threads=1))
