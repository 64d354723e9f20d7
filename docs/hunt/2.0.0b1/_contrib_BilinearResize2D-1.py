"""_contrib_BilinearResize2D, forward, on MXNet 2.0.0b1: 5.58 times as slow as a neighbour that does equal work.

slow       167 us a call, where 29.9 us were expected
fast       29.9 us a call
step       float32
ratio      5.58 times, 95% interval 5.45 to 5.69, with 1 thread
family     height >= 12 and width >= 31 and dtype is float16
neighbour  5.56 times: float32 takes 18% of the time
model      3.34 times: half of 35 other inputs lie within a factor of 1.22 of it
roofline   9.22 times: this machine can move and compute as much in that time

Measure it again: python _contrib_BilinearResize2D-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_BilinearResize2D",
    category="pooling",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_contrib_BilinearResize2D/93cdc7d7", profile="finding")
def slow():
    return dict(
        data=tensor((1, 3, 2, 2), "float16", uniform(-1.0, 1.0)),
        height=12,
        width=31,
    )


@case("_contrib_BilinearResize2D/83026806", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 3, 2, 2), "float32", uniform(-1.0, 1.0)),
        height=12,
        width=31,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.36, threads=1))
