"""_rpower_scalar, backward, on MXNet 1.9.1: 3.44 times as slow as a neighbour that does equal work.

slow       191 us a call, where 56.9 us were expected
fast       56.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.44 times, 95% interval 3.31 to 3.59, with 1 thread
family     float16
also       forward, 3.17 times
neighbour  3.44 times: float32: as many elements, 2 times the bytes
roofline   12.2 times: this machine can move and compute as much in that time

Measure it again: python _rpower_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_rpower_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_rpower_scalar/22bfe6cb", profile="finding")
def slow():
    return dict(
        data=tensor((16, 256), "float16", uniform(0.1, 2.0)),
        is_int=False,
        scalar=4.0,
    )


@case("_rpower_scalar/7185f0b5", profile="contrast")
def fast():
    return dict(
        data=tensor((16, 256), "float32", uniform(0.1, 2.0)),
        is_int=False,
        scalar=4.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.86, threads=1))
