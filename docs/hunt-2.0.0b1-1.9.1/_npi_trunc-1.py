"""_npi_trunc, forward: 2.03 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       161 us a call, where 78.5 us were expected
fast       39.2 us a call
step       the same input on MXNet 1.9.1
ratio      2.03 times, 95% interval 1.99 to 2.06, with 1 thread
family     int8 or uint8
side       2.03 times: the same input on MXNet 1.9.1
roofline   13.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_trunc-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.85 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_trunc",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_trunc/4d7fa2e1", profile="finding")
def both():
    return dict(
        x=tensor((16384,), "int8", integers(1, 8)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.85, threads=1, sides=sides))
