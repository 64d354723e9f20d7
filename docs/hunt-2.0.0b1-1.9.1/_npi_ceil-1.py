"""_npi_ceil, forward: 2.08 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       166 us a call, where 80.0 us were expected
fast       40.0 us a call
step       the same input on MXNet 1.9.1
ratio      2.08 times, 95% interval 1.97 to 2.11, with 1 thread
family     int8 or uint8, and the last dimension is 8,192 or more
side       2.08 times: the same input on MXNet 1.9.1
roofline   13.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_ceil-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.88 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_ceil",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_ceil/a76dc806", profile="finding")
def both():
    return dict(
        x=tensor((11, 1490), "int8", integers(1, 8)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.88, threads=1, sides=sides))
