"""_hypot_scalar, backward, on MXNet 1.9.1: 2.49 times as slow as a neighbour that does equal work.

slow       118 us a call, where 46.3 us were expected
fast       46.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.49 times, 95% interval 2.39 to 2.60, with 1 thread
family     float16
neighbour  2.49 times: float32: as many elements, 2 times the bytes
roofline   7.60 times: this machine can move and compute as much in that time
forward    1.74 times: the forward pass of the same input

Measure it again: python _hypot_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_hypot_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_hypot_scalar/50c1f78d", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("_hypot_scalar/65f04d59", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.58, threads=1))
