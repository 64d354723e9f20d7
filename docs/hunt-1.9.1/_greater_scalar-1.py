"""_greater_scalar, forward, on MXNet 1.9.1: 4.61 times as slow as a neighbour that does equal work.

slow       105 us a call, where 22.6 us were expected
fast       22.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.61 times, 95% interval 4.09 to 4.72, with 1 thread
family     float16
neighbour  4.61 times: int64: as many elements, 4 times the bytes
roofline   6.49 times: this machine can move and compute as much in that time
kin        1.49 times: _npi_greater_scalar of the same input

Measure it again: python _greater_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.15 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_greater_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_greater_scalar/44678fb8", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_greater_scalar/4a9ce00e", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.15, threads=1))
