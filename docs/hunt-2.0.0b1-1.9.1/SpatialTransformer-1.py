"""SpatialTransformer, backward: 1.96 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       164 us a call, where 84.0 us were expected
fast       84.0 us a call
step       the same input on MXNet 1.9.1
ratio      1.96 times, 95% interval 1.89 to 2.05, with 1 thread
family     this input; no family of it holds on fresh draws
also       forward, 1.94 times
side       1.96 times: the same input on MXNet 1.9.1
roofline   13.6 times: this machine can move and compute as much in that time

Measure it again: python SpatialTransformer-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.4 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SpatialTransformer",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SpatialTransformer/3a726ff3", profile="finding")
def both():
    return dict(
        data=tensor((8, 36, 2, 2), "float32", uniform(-1.0, 1.0)),
        loc=tensor((8, 6), "float32", uniform(-1.0, 1.0)),
        sampler_type="bilinear",
        target_shape=(5, 3),
        transform_type="affine",
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.4, threads=1, sides=sides))
