"""_np_moveaxis, forward, on MXNet 1.9.1: 4.11 times as slow as a neighbour that does equal work.

slow       106 us a call, where 24.1 us were expected
fast       24.1 us a call
step       axes 0 and 1 made one
ratio      4.11 times, 95% interval 3.57 to 4.48, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.11 times: axes 0 and 1 made one
roofline   5.79 times: this machine can move and compute as much in that time

Measure it again: python _np_moveaxis-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.03 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_moveaxis",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_moveaxis/11ee832d", profile="finding")
def slow():
    return dict(
        a=tensor((32, 1024), "float32", uniform(-1.0, 1.0)),
        destination=(-1,),
        source=(0,),
    )


@case("_np_moveaxis/d52e3084", profile="contrast")
def fast():
    return dict(
        a=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        destination=(-1,),
        source=(0,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.03, threads=1))
