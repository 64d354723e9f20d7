"""_npi_gcd_scalar, forward, on MXNet 2.0.0b1: 4.39 times as slow as a neighbour that does equal work.

slow       233 us a call, where 52.8 us were expected
fast       52.8 us a call
step       no scalar
ratio      4.39 times, 95% interval 4.24 to 4.57, with 1 thread
family     scalar other than 1
neighbour  4.39 times: no scalar
roofline   17.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_gcd_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_gcd_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_gcd_scalar/2debbe74", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "int32", integers(1, 100)),
        scalar=60.0,
    )


@case("_npi_gcd_scalar/01cc7d66", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.09, threads=1))
