"""_npi_pinv_scalar_rcond, forward, on MXNet 2.0.0b1: 2.39 times as slow as a neighbour that does equal work.

slow       171 us a call, where 70.1 us were expected
fast       70.1 us a call
step       axes 0 and 1 made one
ratio      2.39 times, 95% interval 2.29 to 2.49, with 1 thread
family     dimension -3 is 4 or more, and float32
neighbour  2.39 times: axes 0 and 1 made one
roofline   14.2 times: this machine can move and compute as much in that time

Measure it again: python _npi_pinv_scalar_rcond-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_pinv_scalar_rcond",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_pinv_scalar_rcond/e5a17727", profile="finding")
def slow():
    return dict(
        A=tensor((8, 1, 2), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_pinv_scalar_rcond/71388560", profile="contrast")
def fast():
    return dict(
        A=tensor((8, 2), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.55, threads=1))
