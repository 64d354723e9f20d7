"""slice_axis, backward, on MXNet 1.9.1: 2.79 times as slow as a neighbour that does equal work.

slow       129 us a call, where 46.3 us were expected
fast       46.3 us a call
step       axes 0 and 1 exchanged
ratio      2.79 times, 95% interval 2.72 to 2.81, with 1 thread
family     this input; no family of it holds on fresh draws
also       forward, 2.02 times
neighbour  2.79 times: axes 0 and 1 exchanged
model      2.21 times: half of 34 other inputs lie within a factor of 1.32 of it
roofline   6.21 times: this machine can move and compute as much in that time
forward    1.77 times: the forward pass of the same input

Measure it again: python slice_axis-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.67 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="slice_axis",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("slice_axis/7cce07fc", profile="finding")
def slow():
    return dict(
        data=tensor((8192, 1), "float32", uniform(-1.0, 1.0)),
        axis=-2,
        begin=0,
        end=-1,
    )


@case("slice_axis/2dccc5b5", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 8192), "float32", uniform(-1.0, 1.0)),
        axis=-1,
        begin=0,
        end=-1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.67, threads=1))
