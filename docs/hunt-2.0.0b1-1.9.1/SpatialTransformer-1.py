"""SpatialTransformer, forward: 2.06 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       68.0 us a call, where 31.8 us were expected
fast       31.8 us a call
step       the same input on MXNet 1.9.1
ratio      2.06 times, 95% interval 1.80 to 2.34, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.06 times: the same input on MXNet 1.9.1
roofline   4.55 times: this machine can move and compute as much in that time

Measure it again: python SpatialTransformer-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.43 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SpatialTransformer",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SpatialTransformer/c9b2357b", profile="finding")
def both():
    return dict(
        data=tensor((3, 4, 2, 3), "float32", uniform(-1.0, 1.0)),
        loc=tensor((3, 6), "float32", uniform(-1.0, 1.0)),
        sampler_type="bilinear",
        target_shape=(2, 15),
        transform_type="affine",
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.43, threads=1, sides=sides))
