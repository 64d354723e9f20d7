"""_linalg_makediag, forward, on MXNet 1.9.1: 6.42 times as slow as a neighbour that does equal work.

slow       26,986 us a call, where 4,327 us were expected
fast       4,323 us a call
step       A.shape[0] of 2,047
ratio      6.42 times, 95% interval 3.22 to 11.4, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  6.42 times: A.shape[0] of 2,047
roofline   8.72 times: this machine can move and compute as much in that time

Measure it again: python _linalg_makediag-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_makediag",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_linalg_makediag/fd62f787", profile="finding")
def slow():
    return dict(
        A=tensor((2048,), "float64", uniform(-1.0, 1.0)),
    )


@case("_linalg_makediag/6ad42d0e", profile="contrast")
def fast():
    return dict(
        A=tensor((2047,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.54, threads=1))
