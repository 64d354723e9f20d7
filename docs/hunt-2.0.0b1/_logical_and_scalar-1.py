"""_logical_and_scalar, forward, on MXNet 2.0.0b1: 17.8 times as slow as a neighbour that does equal work.

slow       333 us a call, where 16.1 us were expected
fast       16.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      17.8 times, 95% interval 15.6 to 20.3, with 1 thread
family     float16
neighbour  17.8 times: float32: as many elements, 2 times the bytes
roofline   24.4 times: this machine can move and compute as much in that time
kin        9.15 times: _npi_logical_and_scalar of the same input

Measure it again: python _logical_and_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.22 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_and_scalar",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_logical_and_scalar/4a40de66", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", mask(0.5)),
    )


@case("_logical_and_scalar/549b052c", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.22, threads=1))
