"""_hypot, backward, on MXNet 2.0.0b1: 3.37 times as slow as a neighbour that does equal work.

slow       253 us a call, where 75.3 us were expected
fast       75.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.37 times, 95% interval 3.33 to 3.43, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.01 times
neighbour  3.37 times: float32: as many elements, 2 times the bytes
roofline   20.5 times: this machine can move and compute as much in that time
forward    2.30 times: the forward pass of the same input

Measure it again: python _hypot-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_hypot",
    category="elementwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_hypot/82f17497", profile="finding")
def slow():
    return dict(
        lhs=tensor((4096,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_hypot/25e89e87", profile="contrast")
def fast():
    return dict(
        lhs=tensor((4096,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.84, threads=1))
