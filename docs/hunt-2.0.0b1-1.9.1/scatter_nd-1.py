"""scatter_nd, backward: 2.02 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       303 us a call, where 150 us were expected
fast       150 us a call
step       the same input on MXNet 1.9.1
ratio      2.02 times, 95% interval 1.98 to 2.09, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.02 times: the same input on MXNet 1.9.1
roofline   18.0 times: this machine can move and compute as much in that time
forward    2.71 times: the forward pass of the same input

Measure it again: python scatter_nd-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.42 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="scatter_nd",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("scatter_nd/e97548e4", profile="finding")
def both():
    return dict(
        data=tensor((5, 63, 33, 17), "float16", uniform(-1.0, 1.0)),
        indices=tensor((2, 5, 63), "int32", integers(0, 1)),
        shape=(1, 44, 33, 17),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.42, threads=1, sides=sides))
