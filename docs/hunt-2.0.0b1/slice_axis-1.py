"""slice_axis, forward, on MXNet 2.0.0b1: 2.11 times as slow as a neighbour that does equal work.

slow       163 us a call, where 77.2 us were expected
fast       77.2 us a call
step       axis=1
ratio      2.11 times, 95% interval 2.05 to 2.16, with 1 thread
family     axis is not the last, and int64 or int8 or uint8 or float64, and begin is 0 or more
neighbour  2.11 times: axis=1
roofline   8.80 times: this machine can move and compute as much in that time

Measure it again: python slice_axis-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("slice_axis/54281bf0", profile="finding")
def slow():
    return dict(
        data=tensor((32, 1024), "int64", integers(0, 10)),
        axis=0,
        begin=1,
        end=None,
    )


@case("slice_axis/0edd0833", profile="contrast")
def fast():
    return dict(
        data=tensor((32, 1024), "int64", integers(0, 10)),
        axis=1,
        begin=1,
        end=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.45, threads=1))
