"""_np_roll, forward, on MXNet 1.9.1: 2.69 times as slow as a neighbour that does equal work.

slow       131 us a call, where 49.0 us were expected
fast       49.0 us a call
step       data.shape[1] of 64 and data.shape[0] of 64
ratio      2.69 times, 95% interval 2.63 to 2.74, with 1 thread
family     axis=(0, 1) and shift=(0, 1) and data.shape[0] <= 2
neighbour  2.68 times: data.shape[1] of 64 and data.shape[0] of 64 takes 37% of the time
model      2.90 times: half of 40 other inputs lie within a factor of 1.18 of it
roofline   7.12 times: this machine can move and compute as much in that time

Measure it again: python _np_roll-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_roll",
    category="array",
    mxnet="1.9.1",
    seed=1,
)


@case("_np_roll/7e72a698", profile="finding")
def slow():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
        axis=(0, 1),
        shift=(0, 1),
    )


@case("_np_roll/a5232643", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(0, 1),
        shift=(0, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.64, threads=1))
