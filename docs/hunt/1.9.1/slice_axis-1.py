"""slice_axis, forward, on MXNet 1.9.1: 7.76 times as slow as a neighbour that does equal work.

slow       242 us a call, where 31.3 us were expected
fast       31.3 us a call
step       float32: as many elements, 4 times the bytes
ratio      7.76 times, 95% interval 6.99 to 7.95, with 1 thread
family     uint8 or int32 or int8
neighbour  7.76 times: float32: as many elements, 4 times the bytes
roofline   10.9 times: this machine can move and compute as much in that time

Measure it again: python slice_axis-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("slice_axis/b5557f0e", profile="finding")
def slow():
    return dict(
        data=tensor((108, 1024), "uint8", integers(0, 10)),
        axis=0,
        begin=-108,
        end=-42,
    )


@case("slice_axis/2d0d313b", profile="contrast")
def fast():
    return dict(
        data=tensor((108, 1024), "float32", uniform(-1.0, 1.0)),
        axis=0,
        begin=-108,
        end=-42,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.79, threads=1))
