"""slice_axis, backward, on MXNet 1.9.1: 5.71 times as slow as a neighbour that does equal work.

slow       505 us a call, where 88.4 us were expected
fast       88.4 us a call
step       axes 0 and 1 exchanged
ratio      5.71 times, 95% interval 5.64 to 5.77, with 1 thread
family     begin >= 1 and end=None and dtype is float32 or float64 or float16 and data.shape[-1] <= 2
neighbour  5.71 times: axes 0 and 1 exchanged takes 18% of the time
model      5.13 times: half of 39 other inputs lie within a factor of 1.04 of it
roofline   18.8 times: this machine can move and compute as much in that time
forward    1.38 times: the forward pass of the same input

Measure it again: python slice_axis-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="1.9.1",
    seed=1,
)


@case("slice_axis/7d529683", profile="finding")
def slow():
    return dict(
        data=tensor((32768, 1), "float32", uniform(-1.0, 1.0)),
        axis=0,
        begin=1,
        end=None,
    )


@case("slice_axis/eb6666ec", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 32768), "float32", uniform(-1.0, 1.0)),
        axis=1,
        begin=1,
        end=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.39, threads=1))
