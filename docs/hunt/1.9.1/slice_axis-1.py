"""slice_axis, forward, on MXNet 1.9.1: 2.94 times as slow as a neighbour that does equal work.

slow       139 us a call, where 47.9 us were expected
fast       47.9 us a call
step       int64: as many elements, 2 times the bytes
ratio      2.94 times, 95% interval 2.78 to 3.04, with 1 thread
family     int32 or int8 or uint8, and 15,624 elements or more
neighbour  2.94 times: int64: as many elements, 2 times the bytes
roofline   8.68 times: this machine can move and compute as much in that time

Measure it again: python slice_axis-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("slice_axis/7696a72c", profile="finding")
def slow():
    return dict(
        data=tensor((248, 251), "int32", integers(0, 10)),
        axis=0,
        begin=0,
        end=114,
    )


@case("slice_axis/934278cf", profile="contrast")
def fast():
    return dict(
        data=tensor((248, 251), "int64", integers(0, 10)),
        axis=0,
        begin=0,
        end=114,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.72, threads=1))
