"""_set_value, forward: 2.05 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       167 us a call, where 86.0 us were expected
fast       86.0 us a call
step       the same input on MXNet 1.9.1
ratio      2.05 times, 95% interval 1.92 to 2.20, with 1 thread
family     int64, and the last dimension is 23 or more
side       2.05 times: the same input on MXNet 1.9.1
roofline   4.42 times: this machine can move and compute as much in that time

Measure it again: python _set_value-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.43 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_set_value",
    category="creation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_set_value/7cb549bb", profile="finding", in_place=("out",))
def both():
    return dict(
        out=tensor((262144,), "int64", integers(0, 10)),
        src=0.5,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.43, threads=1, sides=sides))
