"""_contrib_BilinearResize2D, backward, on MXNet 2.0.0b1: 3.72 times as slow as a neighbour that does equal work.

slow       493 us a call, where 133 us were expected
fast       133 us a call
step       float32
ratio      3.72 times, 95% interval 3.65 to 3.77, with 1 thread
family     height >= 4 and width >= 56 and dtype is float16
neighbour  3.70 times: float32 takes 27% of the time
roofline   27.0 times: this machine can move and compute as much in that time

Measure it again: python _contrib_BilinearResize2D-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.93 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_BilinearResize2D",
    category="pooling",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_contrib_BilinearResize2D/1409b35f", profile="finding")
def slow():
    return dict(
        data=tensor((1, 16, 1, 1), "float16", uniform(-1.0, 1.0)),
        height=4,
        width=56,
    )


@case("_contrib_BilinearResize2D/837cb974", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16, 1, 1), "float32", uniform(-1.0, 1.0)),
        height=4,
        width=56,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.93, threads=1))
