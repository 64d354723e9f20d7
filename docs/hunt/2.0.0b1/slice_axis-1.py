"""slice_axis, forward, on MXNet 2.0.0b1: 4.03 times as slow as a neighbour that does equal work.

slow       149 us a call, where 37.3 us were expected
fast       37.3 us a call
step       axes 0 and 1 exchanged
ratio      4.03 times, 95% interval 3.96 to 4.11, with 1 thread
family     begin=1 and end=21 and axis=1 and data.shape[0] > 99 and data.shape[1] < 240
neighbour  3.98 times: axes 0 and 1 exchanged takes 25% of the time
model      1.45 times: half of 40 other inputs lie within a factor of 1.23 of it
roofline   2.30 times: this machine can move and compute as much in that time

Measure it again: python slice_axis-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="2.0.0b1",
    seed=1,
)


@case("slice_axis/4e9ba24d", profile="finding")
def slow():
    return dict(
        data=tensor((240, 99, 11), "float32", uniform(-1.0, 1.0)),
        axis=1,
        begin=1,
        end=21,
    )


@case("slice_axis/c035bc28", profile="contrast")
def fast():
    return dict(
        data=tensor((99, 240, 11), "float32", uniform(-1.0, 1.0)),
        axis=0,
        begin=1,
        end=21,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.01, threads=1))
