"""sum, forward, on MXNet 2.0.0b1: 7.47 times as slow as a neighbour that does equal work.

slow       197 us a call, where 26.4 us were expected
fast       26.4 us a call
step       axes 0 and 1 exchanged
ratio      7.47 times, 95% interval 7.36 to 7.57, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.47 times: axes 0 and 1 exchanged
roofline   14.4 times: this machine can move and compute as much in that time
kin        1.30 times: max of the same input

Measure it again: python sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("sum/7e374ae8", profile="finding")
def slow():
    return dict(
        data=tensor((64, 512), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("sum/f2278dcd", profile="contrast")
def fast():
    return dict(
        data=tensor((512, 64), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.73, threads=1))
