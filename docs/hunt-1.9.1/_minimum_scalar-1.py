"""_minimum_scalar, backward, on MXNet 1.9.1: 3.00 times as slow as a neighbour that does equal work.

slow       122 us a call, where 40.1 us were expected
fast       40.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.00 times, 95% interval 2.85 to 3.18, with 1 thread
family     float16
also       forward, 3.71 times
neighbour  3.00 times: float32: as many elements, 2 times the bytes
roofline   7.74 times: this machine can move and compute as much in that time
forward    1.46 times: the forward pass of the same input

Measure it again: python _minimum_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_minimum_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_minimum_scalar/aa136c93", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_minimum_scalar/ee4027d6", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.73, threads=1))
