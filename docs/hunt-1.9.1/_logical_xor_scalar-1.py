"""_logical_xor_scalar, forward, on MXNet 1.9.1: 5.30 times as slow as a neighbour that does equal work.

slow       441 us a call, where 79.1 us were expected
fast       79.1 us a call
step       is_int=True
ratio      5.30 times, 95% interval 3.84 to 5.58, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.30 times: is_int=True
model      4.22 times: half of 16 other inputs lie within a factor of 1.51 of it
roofline   16.4 times: this machine can move and compute as much in that time

Measure it again: python _logical_xor_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.3 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_xor_scalar",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_logical_xor_scalar/fe7b6a00", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "int64", mask(0.5)),
        is_int=False,
    )


@case("_logical_xor_scalar/91f5f7b9", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "int64", mask(0.5)),
        is_int=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.3, threads=1))
