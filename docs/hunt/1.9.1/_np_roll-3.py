"""_np_roll, backward, on MXNet 1.9.1: 4.77 times as slow as a neighbour that does equal work.

slow       6,796 us a call, where 1,434 us were expected
fast       1,434 us a call
step       data.shape[1] of 9,007 and data.shape[0] of 17
ratio      4.77 times, 95% interval 4.67 to 4.87, with 1 thread
family     axis=(0, 1) and shift=(0, 1) and data.shape[0] < 17 and data.shape[1] > 9,007
neighbour  4.74 times: data.shape[1] of 9,007 and data.shape[0] of 17 takes 21% of the time
model      25.6 times: half of 30 other inputs lie within a factor of 1.10 of it
roofline   109 times: this machine can move and compute as much in that time
forward    1.54 times: the forward pass of the same input

Measure it again: python _np_roll-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.18 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_roll",
    category="array",
    mxnet="1.9.1",
    seed=1,
)


@case("_np_roll/777f4630", profile="finding")
def slow():
    return dict(
        data=tensor((1, 153119), "float32", uniform(-1.0, 1.0)),
        axis=(0, 1),
        shift=(0, 1),
    )


@case("_np_roll/e3716476", profile="contrast")
def fast():
    return dict(
        data=tensor((17, 9007), "float32", uniform(-1.0, 1.0)),
        axis=(0, 1),
        shift=(0, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.18, threads=1))
