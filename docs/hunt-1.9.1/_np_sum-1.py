"""_np_sum, backward, on MXNet 1.9.1: 3.13 times as slow as a neighbour that does equal work.

slow       233 us a call, where 74.2 us were expected
fast       74.2 us a call
step       axes 0 and 1 exchanged
ratio      3.13 times, 95% interval 3.02 to 3.25, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.13 times: axes 0 and 1 exchanged
roofline   12.7 times: this machine can move and compute as much in that time

Measure it again: python _np_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_sum",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_sum/daa33144", profile="finding")
def slow():
    return dict(
        a=tensor((128, 512), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_np_sum/f207ad30", profile="contrast")
def fast():
    return dict(
        a=tensor((512, 128), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.77, threads=1))
