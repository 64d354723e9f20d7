"""softmax, backward, on MXNet 1.9.1: 2.81 times as slow as a neighbour that does equal work.

slow       243 us a call, where 84.4 us were expected
fast       84.4 us a call
step       axes 0 and 1 made one
ratio      2.81 times, 95% interval 2.71 to 2.91, with 1 thread
family     data.shape[-1] <= 2
neighbour  2.88 times: axes 0 and 1 made one takes 35% of the time
model      2.41 times: half of 27 other inputs lie within a factor of 1.20 of it
roofline   12.4 times: this machine can move and compute as much in that time

Measure it again: python softmax-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=1,
)


@case("softmax/1bf65687", profile="finding")
def slow():
    return dict(
        data=tensor((8192, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("softmax/02893a93", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.68, threads=1))
