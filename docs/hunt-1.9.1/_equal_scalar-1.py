"""_equal_scalar, forward, on MXNet 1.9.1: 4.83 times as slow as a neighbour that does equal work.

slow       106 us a call, where 22.0 us were expected
fast       22.0 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.83 times, 95% interval 4.59 to 4.97, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  4.83 times: int32: as many elements, 2 times the bytes
roofline   6.54 times: this machine can move and compute as much in that time
kin        1.58 times: _npi_equal_scalar of the same input

Measure it again: python _equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.2 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_equal_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_equal_scalar/00f334ee", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_equal_scalar/5384bbc4", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.2, threads=1))
