"""mish, backward, on MXNet 2.0.0b1: 1.91 times as slow as a neighbour that does equal work.

slow       260 us a call, where 135 us were expected
fast       135 us a call
step       float64: as many elements, 4 times the bytes
ratio      1.91 times, 95% interval 1.83 to 1.98, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.91 times: float64: as many elements, 4 times the bytes
roofline   21.5 times: this machine can move and compute as much in that time
forward    1.48 times: the forward pass of the same input

Measure it again: python mish-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="mish",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("mish/4df73a5b", profile="finding")
def slow():
    return dict(
        data=tensor((2049,), "float16", uniform(-1.0, 1.0)),
    )


@case("mish/c6cb5ffd", profile="contrast")
def fast():
    return dict(
        data=tensor((2049,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.38, threads=1))
