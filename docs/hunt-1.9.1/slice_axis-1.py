"""slice_axis, forward, on MXNet 1.9.1: 3.57 times as slow as a neighbour that does equal work.

slow       112 us a call, where 31.2 us were expected
fast       31.2 us a call
step       float32: as many elements, 4 times the bytes
ratio      3.57 times, 95% interval 3.33 to 3.65, with 1 thread
family     uint8 or int8
neighbour  3.57 times: float32: as many elements, 4 times the bytes
roofline   6.65 times: this machine can move and compute as much in that time

Measure it again: python slice_axis-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.89 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("slice_axis/8bcab682", profile="finding")
def slow():
    return dict(
        data=tensor((256, 256), "uint8", integers(0, 10)),
        axis=1,
        begin=1,
        end=None,
    )


@case("slice_axis/7e21e424", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        axis=1,
        begin=1,
        end=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.89, threads=1))
