"""_npi_lcm_scalar, forward, on MXNet 1.9.1: 2.46 times as slow as a neighbour that does equal work.

slow       167 us a call, where 68.1 us were expected
fast       68.1 us a call
step       no scalar
ratio      2.46 times, 95% interval 2.22 to 2.68, with 1 thread
family     scalar other than 1
neighbour  2.46 times: no scalar
roofline   9.90 times: this machine can move and compute as much in that time

Measure it again: python _npi_lcm_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_lcm_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_lcm_scalar/55d42a05", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "int32", integers(1, 100)),
        scalar=60.0,
    )


@case("_npi_lcm_scalar/01aa4dfc", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", integers(1, 100)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.57, threads=1))
