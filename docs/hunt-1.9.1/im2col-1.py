"""im2col, backward, on MXNet 1.9.1: 5.57 times as slow as a neighbour that does equal work.

slow       326 us a call, where 58.3 us were expected
fast       58.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.57 times, 95% interval 5.43 to 5.67, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.57 times: float32: as many elements, 2 times the bytes
model      4.51 times: half of 31 other inputs lie within a factor of 1.07 of it
roofline   25.7 times: this machine can move and compute as much in that time
forward    6.89 times: the forward pass of the same input

Measure it again: python im2col-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="im2col",
    category="convolution",
    mxnet="1.9.1",
    seed=0,
)


@case("im2col/837b950a", profile="finding")
def slow():
    return dict(
        data=tensor((1, 16, 28, 28), "float16", uniform(-1.0, 1.0)),
        kernel=(1, 3),
    )


@case("im2col/b72e638a", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16, 28, 28), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 3),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.36, threads=1))
