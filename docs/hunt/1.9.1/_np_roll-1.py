"""_np_roll, forward, on MXNet 1.9.1: 2.27 times as slow as a neighbour that does equal work.

slow       272 us a call, where 121 us were expected
fast       121 us a call
step       data.shape[0] of 128 and data.shape[1] of 128
ratio      2.27 times, 95% interval 2.21 to 2.44, with 1 thread
family     shift=(1,) and data.shape[-1] <= 1
neighbour  2.24 times: data.shape[0] of 128 and data.shape[1] of 128 takes 45% of the time
model      4.45 times: half of 40 other inputs lie within a factor of 1.18 of it
roofline   12.3 times: this machine can move and compute as much in that time

Measure it again: python _np_roll-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_roll",
    category="array",
    mxnet="1.9.1",
    seed=1,
)


@case("_np_roll/e0509ec6", profile="finding")
def slow():
    return dict(
        data=tensor((16384, 1), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
        shift=(1,),
    )


@case("_np_roll/4f3c0e44", profile="contrast")
def fast():
    return dict(
        data=tensor((128, 128), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
        shift=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.51, threads=1))
