"""_npi_matrix_rank, forward, on MXNet 2.0.0b1: 9.40 times as slow as a neighbour that does equal work.

slow       812 us a call, where 90.7 us were expected
fast       90.7 us a call
step       M.shape[0] of 1 and M.shape[2] of 512
ratio      9.40 times, 95% interval 9.04 to 9.85, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  9.40 times: M.shape[0] of 1 and M.shape[2] of 512
roofline   66.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_matrix_rank-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.07 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_matrix_rank",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_matrix_rank/1d00ad47", profile="finding")
def slow():
    return dict(
        M=tensor((128, 4, 4), "float32", uniform(-1.0, 1.0)),
        tol=tensor((128,), "float32", constant(1e-06)),
    )


@case("_npi_matrix_rank/6e2962bf", profile="contrast")
def fast():
    return dict(
        M=tensor((1, 4, 512), "float32", uniform(-1.0, 1.0)),
        tol=tensor((128,), "float32", constant(1e-06)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.07, threads=1))
