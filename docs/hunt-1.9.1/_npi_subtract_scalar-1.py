"""_npi_subtract_scalar, forward, on MXNet 1.9.1: 2.08 times as slow as a neighbour that does equal work.

slow       1,121 us a call, where 516 us were expected
fast       516 us a call
step       is_int=True
ratio      2.08 times, 95% interval 1.99 to 2.19, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.08 times: is_int=True
roofline   5.64 times: this machine can move and compute as much in that time

Measure it again: python _npi_subtract_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_subtract_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_subtract_scalar/b91067ee", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "int64", integers(1, 8)),
        is_int=False,
        scalar=4.0,
    )


@case("_npi_subtract_scalar/2b221ed9", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "int64", integers(1, 8)),
        is_int=True,
        scalar=4.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.44, threads=1))
