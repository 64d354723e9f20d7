"""_logical_or_scalar, forward, on MXNet 1.9.1: 11.3 times as slow as a neighbour that does equal work.

slow       367 us a call, where 31.7 us were expected
fast       31.7 us a call
step       int32: as many elements, 2 times the bytes
ratio      11.3 times, 95% interval 10.4 to 12.2, with 1 thread
family     float16
neighbour  11.3 times: int32: as many elements, 2 times the bytes
model      7.82 times: half of 23 other inputs lie within a factor of 1.12 of it
roofline   21.7 times: this machine can move and compute as much in that time

Measure it again: python _logical_or_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_or_scalar",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_logical_or_scalar/7542b14c", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", mask(0.5)),
    )


@case("_logical_or_scalar/ee47217f", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "int32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.36, threads=1))
