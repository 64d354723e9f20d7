"""_logical_or_scalar, forward, on MXNet 2.0.0b1: 18.1 times as slow as a neighbour that does equal work.

slow       344 us a call, where 16.8 us were expected
fast       16.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      18.1 times, 95% interval 15.7 to 21.2, with 1 thread
family     float16
neighbour  18.1 times: float32: as many elements, 2 times the bytes
roofline   25.2 times: this machine can move and compute as much in that time
kin        11.0 times: _npi_logical_or_scalar of the same input

Measure it again: python _logical_or_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_or_scalar",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_logical_or_scalar/7542b14c", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", mask(0.5)),
    )


@case("_logical_or_scalar/f5c81b43", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.25, threads=1))
