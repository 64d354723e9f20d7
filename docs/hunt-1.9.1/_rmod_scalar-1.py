"""_rmod_scalar, backward, on MXNet 1.9.1: 2.40 times as slow as a neighbour that does equal work.

slow       159 us a call, where 66.9 us were expected
fast       66.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.40 times, 95% interval 2.28 to 2.52, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.40 times: float64: as many elements, 4 times the bytes
roofline   10.3 times: this machine can move and compute as much in that time
forward    2.59 times: the forward pass of the same input

Measure it again: python _rmod_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_rmod_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_rmod_scalar/176e3956", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(0.1, 2.0)),
    )


@case("_rmod_scalar/6a6934c5", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.55, threads=1))
