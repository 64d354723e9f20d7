"""_npi_pinv, forward, on MXNet 1.9.1: 2.73 times as slow as a neighbour that does equal work.

slow       151 us a call, where 55.8 us were expected
fast       37.8 us a call
step       A.shape[0] of 1 and A.shape[1] of 128
ratio      2.73 times, 95% interval 2.64 to 2.77, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.73 times: A.shape[0] of 1 and A.shape[1] of 128
roofline   9.50 times: this machine can move and compute as much in that time

Measure it again: python _npi_pinv-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_pinv",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_pinv/9585cba4", profile="finding")
def slow():
    return dict(
        A=tensor((32, 4, 4), "float32", uniform(-1.0, 1.0)),
        rcond=tensor((1,), "float32", constant(1e-06)),
    )


@case("_npi_pinv/0a25ccc6", profile="contrast")
def fast():
    return dict(
        A=tensor((1, 128, 4), "float32", uniform(-1.0, 1.0)),
        rcond=tensor((1,), "float32", constant(1e-06)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.44, threads=1))
