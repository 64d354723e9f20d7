"""_hypot, backward, on MXNet 1.9.1: 2.54 times as slow as a neighbour that does equal work.

slow       115 us a call, where 45.3 us were expected
fast       45.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.54 times, 95% interval 2.41 to 2.66, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.54 times: float32: as many elements, 2 times the bytes
model      2.26 times: half of 22 other inputs lie within a factor of 1.05 of it
roofline   9.99 times: this machine can move and compute as much in that time
forward    2.74 times: the forward pass of the same input

Measure it again: python _hypot-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.59 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_hypot",
    category="elementwise",
    mxnet="1.9.1",
    seed=0,
)


@case("_hypot/40c1edfd", profile="finding")
def slow():
    return dict(
        lhs=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1024,), "float16", uniform(-1.0, 1.0)),
    )


@case("_hypot/a8bc3248", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1024,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.59, threads=1))
