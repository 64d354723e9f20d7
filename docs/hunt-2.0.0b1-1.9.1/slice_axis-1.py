"""slice_axis, forward: 3.92 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       119 us a call, where 30.4 us were expected
fast       30.4 us a call
step       the same input on MXNet 1.9.1
ratio      3.92 times, 95% interval 3.81 to 4.00, with 1 thread
family     int64
side       3.92 times: the same input on MXNet 1.9.1
roofline   5.88 times: this machine can move and compute as much in that time

Measure it again: python slice_axis-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.98 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("slice_axis/4e11c8f7", profile="finding")
def both():
    return dict(
        data=tensor((1024, 2, 12), "int64", integers(0, 10)),
        axis=-2,
        begin=0,
        end=None,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.98, threads=1, sides=sides))
