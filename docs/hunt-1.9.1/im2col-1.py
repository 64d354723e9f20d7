"""im2col, backward, on MXNet 1.9.1: 2.36 times as slow as a neighbour that does equal work.

slow       191 us a call, where 82.2 us were expected
fast       82.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.36 times, 95% interval 2.31 to 2.47, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.36 times: float32: as many elements, 2 times the bytes
roofline   12.1 times: this machine can move and compute as much in that time
forward    2.90 times: the forward pass of the same input

Measure it again: python im2col-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="im2col",
    category="convolution",
    mxnet="1.9.1",
    seed=0,
)


@case("im2col/1727cc46", profile="finding")
def slow():
    return dict(
        data=tensor((1, 16, 2, 112), "float16", uniform(-1.0, 1.0)),
        kernel=(1, 3),
    )


@case("im2col/ef593590", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16, 2, 112), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 3),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.54, threads=1))
