"""UpSampling, backward: 2.08 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       151 us a call, where 71.3 us were expected
fast       71.3 us a call
step       the same input on MXNet 1.9.1
ratio      2.08 times, 95% interval 2.02 to 2.14, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.07 times
side       2.08 times: the same input on MXNet 1.9.1
roofline   12.8 times: this machine can move and compute as much in that time
forward    1.74 times: the forward pass of the same input

Measure it again: python UpSampling-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.44 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="UpSampling",
    category="pooling",
    mxnet="2.0.0b1",
    seed=0,
)


@case("UpSampling/c610b7f8", profile="finding")
def both():
    return dict(
        data=[tensor((4, 1, 5, 2), "float32", uniform(-1.0, 1.0)), tensor((1, 1, 5, 5), "float32", uniform(-1.0, 1.0))],
        num_args=2,
        num_filter=1,
        sample_type="bilinear",
        scale=3,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.44, threads=1, sides=sides))
