"""slice_like, backward: 1.99 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       153 us a call, where 76.7 us were expected
fast       76.7 us a call
step       the same input on MXNet 1.9.1
ratio      1.99 times, 95% interval 1.96 to 2.02, with 1 thread
family     the last dimension of data is at most 6
side       1.99 times: the same input on MXNet 1.9.1
roofline   10.2 times: this machine can move and compute as much in that time
forward    2.56 times: the forward pass of the same input

Measure it again: python slice_like-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.41 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="slice_like",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("slice_like/c796f2b4", profile="finding")
def both():
    return dict(
        data=tensor((10923, 3), "float32", uniform(-1.0, 1.0)),
        shape_like=tensor((45, 3), "float32", uniform(-1.0, 1.0)),
        axes=(1,),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.41, threads=1, sides=sides))
