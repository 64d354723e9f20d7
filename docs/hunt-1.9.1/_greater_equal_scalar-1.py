"""_greater_equal_scalar, forward, on MXNet 1.9.1: 4.03 times as slow as a neighbour that does equal work.

slow       164 us a call, where 42.6 us were expected
fast       42.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.03 times, 95% interval 3.66 to 4.24, with 1 thread
family     float16
neighbour  4.03 times: float32: as many elements, 2 times the bytes
roofline   10.2 times: this machine can move and compute as much in that time
kin        1.44 times: _npi_greater_equal_scalar of the same input

Measure it again: python _greater_equal_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_greater_equal_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_greater_equal_scalar/8268379b", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_greater_equal_scalar/2e331ef6", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.01, threads=1))
