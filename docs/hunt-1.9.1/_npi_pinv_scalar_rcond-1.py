"""_npi_pinv_scalar_rcond, forward, on MXNet 1.9.1: 3.04 times as slow as a neighbour that does equal work.

slow       143 us a call, where 47.7 us were expected
fast       32.3 us a call
step       axes 0 and 1 made one
ratio      3.04 times, 95% interval 2.94 to 3.16, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.04 times: axes 0 and 1 made one
roofline   8.98 times: this machine can move and compute as much in that time

Measure it again: python _npi_pinv_scalar_rcond-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_pinv_scalar_rcond",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_pinv_scalar_rcond/fe50a877", profile="finding")
def slow():
    return dict(
        A=tensor((32, 4, 4), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_pinv_scalar_rcond/e89eb25a", profile="contrast")
def fast():
    return dict(
        A=tensor((128, 4), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.57, threads=1))
