"""slice_axis, backward, on MXNet 1.9.1: 2.02 times as slow as a neighbour that does equal work.

slow       109 us a call, where 55.4 us were expected
fast       55.4 us a call
step       data.shape[0] of 1 and data.shape[1] of 16,384
ratio      2.02 times, 95% interval 1.88 to 2.14, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.88 times
neighbour  2.02 times: data.shape[0] of 1 and data.shape[1] of 16,384
model      1.41 times: half of 33 other inputs lie within a factor of 1.19 of it
roofline   8.34 times: this machine can move and compute as much in that time
forward    1.22 times: the forward pass of the same input

Measure it again: python slice_axis-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("slice_axis/26882800", profile="finding")
def slow():
    return dict(
        data=tensor((16384, 1), "float32", uniform(-1.0, 1.0)),
        axis=1,
        begin=0,
        end=None,
    )


@case("slice_axis/26a7d9c6", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16384), "float32", uniform(-1.0, 1.0)),
        axis=1,
        begin=0,
        end=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.42, threads=1))
