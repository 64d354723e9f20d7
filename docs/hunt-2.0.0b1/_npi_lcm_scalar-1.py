"""_npi_lcm_scalar, forward, on MXNet 2.0.0b1: 3.53 times as slow as a neighbour that does equal work.

slow       245 us a call, where 70.6 us were expected
fast       70.6 us a call
step       no scalar
ratio      3.53 times, 95% interval 3.35 to 3.75, with 1 thread
family     scalar other than 1
neighbour  3.53 times: no scalar
roofline   18.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_lcm_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_lcm_scalar",
    category="scalar",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
