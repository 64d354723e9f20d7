"""_npi_cholesky, forward: 2.05 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       90.2 us a call, where 43.8 us were expected
fast       43.8 us a call
step       the same input on MXNet 1.9.1
ratio      2.05 times, 95% interval 2.01 to 2.14, with 1 thread
family     the last dimension is 1
side       2.05 times: the same input on MXNet 1.9.1
roofline   7.59 times: this machine can move and compute as much in that time

Measure it again: python _npi_cholesky-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.43 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_cholesky",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_cholesky/7cd58dd4", profile="finding")
def both():
    return dict(
        A=tensor((1024, 1, 1), "float32", matrices("positive_definite")),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.43, threads=1, sides=sides))
