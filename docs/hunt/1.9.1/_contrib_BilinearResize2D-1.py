"""_contrib_BilinearResize2D, forward, on MXNet 1.9.1: 6.84 times as slow as a neighbour that does equal work.

slow       313 us a call, where 46.9 us were expected
fast       31.8 us a call
step       no height
ratio      6.84 times, 95% interval 6.62 to 7.08, with 1 thread
family     height >= 28 and width >= 224
neighbour  6.68 times: no height takes 15% of the time
roofline   5.11 times: this machine can move and compute as much in that time

Measure it again: python _contrib_BilinearResize2D-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.85 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_BilinearResize2D",
    category="pooling",
    mxnet="1.9.1",
    seed=1,
)


@case("_contrib_BilinearResize2D/2658571b", profile="finding")
def slow():
    return dict(
        data=tensor((1, 16, 112, 112), "float32", uniform(-1.0, 1.0)),
        height=28,
        width=224,
    )


@case("_contrib_BilinearResize2D/403da64b", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16, 112, 112), "float32", uniform(-1.0, 1.0)),
        width=224,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.85, threads=1))
