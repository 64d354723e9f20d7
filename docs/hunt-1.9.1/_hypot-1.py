"""_hypot, backward, on MXNet 1.9.1: 2.16 times as slow as a neighbour that does equal work.

slow       2,560 us a call, where 1,197 us were expected
fast       599 us a call
step       float32: as many elements, half the bytes
ratio      2.16 times, 95% interval 2.11 to 2.21, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.63 times
neighbour  2.16 times: float32: as many elements, half the bytes
roofline   78.5 times: this machine can move and compute as much in that time
forward    1.93 times: the forward pass of the same input

Measure it again: python _hypot-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.94 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_hypot",
    category="elementwise",
    mxnet="1.9.1",
    seed=0,
)


@case("_hypot/1cec8063", profile="finding")
def slow():
    return dict(
        lhs=tensor((256, 256), "float64", uniform(-1.0, 1.0)),
        rhs=tensor((256, 256), "float64", uniform(-1.0, 1.0)),
    )


@case("_hypot/4eaf0aaf", profile="contrast")
def fast():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.94, threads=1))
