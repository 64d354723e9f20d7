"""_np_cumsum, forward, on MXNet 1.9.1: 2.11 times as slow as a neighbour that does equal work.

slow       252 us a call, where 111 us were expected
fast       111 us a call
step       axes 0 and 1 exchanged
ratio      2.11 times, 95% interval 2.01 to 2.20, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.11 times: axes 0 and 1 exchanged
roofline   10.8 times: this machine can move and compute as much in that time

Measure it again: python _np_cumsum-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_cumsum",
    category="cumulative",
    mxnet="1.9.1",
    seed=5,
)


@case("_np_cumsum/3d77fc52", profile="finding")
def slow():
    return dict(
        a=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("_np_cumsum/b654f4cd", profile="contrast")
def fast():
    return dict(
        a=tensor((256, 128), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.45, threads=1))
