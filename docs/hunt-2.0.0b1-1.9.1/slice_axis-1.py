"""slice_axis, forward: 3.43 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       101 us a call, where 27.0 us were expected
fast       27.0 us a call
step       the same input on MXNet 1.9.1
ratio      3.43 times, 95% interval 2.90 to 3.78, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.43 times: the same input on MXNet 1.9.1
roofline   5.41 times: this machine can move and compute as much in that time

Measure it again: python slice_axis-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.85 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("slice_axis/38bf152c", profile="finding")
def both():
    return dict(
        data=tensor((32, 48, 32), "int64", integers(0, 10)),
        axis=1,
        begin=-48,
        end=-29,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.85, threads=1, sides=sides))
