"""_div_scalar, backward, on MXNet 1.9.1: 2.35 times as slow as a neighbour that does equal work.

slow       129 us a call, where 54.6 us were expected
fast       54.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.35 times, 95% interval 2.20 to 2.52, with 1 thread
family     float16
also       forward, 3.60 times
neighbour  2.35 times: float32: as many elements, 2 times the bytes
roofline   8.16 times: this machine can move and compute as much in that time
forward    1.40 times: the forward pass of the same input

Measure it again: python _div_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_div_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_div_scalar/89b0ed82", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_div_scalar/8a5d8dee", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.53, threads=1))
