"""broadcast_axis, forward, on MXNet 2.0.0b1: 7.67 times as slow as a neighbour that does equal work.

slow       282 us a call, where 37.1 us were expected
fast       37.1 us a call
step       axes 0 and 1 exchanged
ratio      7.67 times, 95% interval 7.10 to 8.22, with 1 thread
family     axis is not the first
neighbour  7.67 times: axes 0 and 1 exchanged
roofline   18.4 times: this machine can move and compute as much in that time

Measure it again: python broadcast_axis-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_axis",
    category="expanding",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.77, threads=1))
