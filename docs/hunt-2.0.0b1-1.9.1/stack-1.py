"""stack, forward: 4.64 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       208 us a call, where 44.2 us were expected
fast       44.2 us a call
step       the same input on MXNet 1.9.1
ratio      4.64 times, 95% interval 4.24 to 5.21, with 1 thread
family     int64
side       4.64 times: the same input on MXNet 1.9.1
roofline   13.8 times: this machine can move and compute as much in that time

Measure it again: python stack-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.15 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="stack",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("stack/df5e6b00", profile="finding")
def both():
    return dict(
        data=[tensor((16384,), "int64", integers(0, 10))],
        num_args=1,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.15, threads=1, sides=sides))
