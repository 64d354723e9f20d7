"""broadcast_axis, forward, on MXNet 1.9.1: 8.91 times as slow as a neighbour that does equal work.

slow       198 us a call, where 22.5 us were expected
fast       22.5 us a call
step       axes 0 and 1 exchanged
ratio      8.91 times, 95% interval 8.67 to 9.11, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  8.91 times: axes 0 and 1 exchanged
roofline   10.8 times: this machine can move and compute as much in that time

Measure it again: python broadcast_axis-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_axis",
    category="expanding",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_axis/a846f2a0", profile="finding")
def slow():
    return dict(
        data=tensor((256, 1), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
        size=(256,),
    )


@case("broadcast_axis/595ae26b", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
        size=(256,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.99, threads=1))
