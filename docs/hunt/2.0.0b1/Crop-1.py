"""Crop, backward, on MXNet 2.0.0b1: 2.55 times as slow as a neighbour that does equal work.

slow       309 us a call, where 123 us were expected
fast       120 us a call
step       axes 1 and 3 exchanged
ratio      2.55 times, 95% interval 2.49 to 2.60, with 1 thread
family     num_args=2 and center_crop=True and data.shape[0] == 39 and data.shape[1] == 45 and data.shape[2]
           == 31 and data.shape[3] == 3 and data[1].shape[0] == 3 and data[1].shape[3] >= 3
neighbour  2.51 times: axes 1 and 3 exchanged takes 40% of the time
model      1.78 times: half of 123 other inputs lie within a factor of 1.10 of it
roofline   7.19 times: this machine can move and compute as much in that time
forward    2.88 times: the forward pass of the same input

Measure it again: python Crop-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.65 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Crop",
    category="pooling",
    mxnet="2.0.0b1",
    seed=1,
)


@case("Crop/7b819694", profile="finding")
def slow():
    return dict(
        data=[tensor((39, 45, 31, 3), "float32", uniform(-1.0, 1.0)), tensor((3, 1, 1, 3), "float32", uniform(-1.0, 1.0))],
        center_crop=True,
        num_args=2,
    )


@case("Crop/27ac97be", profile="contrast")
def fast():
    return dict(
        data=[tensor((39, 3, 31, 45), "float32", uniform(-1.0, 1.0)), tensor((3, 3, 1, 1), "float32", uniform(-1.0, 1.0))],
        center_crop=True,
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.65, threads=1))
