"""take, backward: 4.12 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       7,526 us a call, where 1,275 us were expected
fast       1,275 us a call
step       the same input on MXNet 1.9.1
ratio      4.12 times, 95% interval 3.29 to 5.65, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       4.12 times: the same input on MXNet 1.9.1
roofline   53.3 times: this machine can move and compute as much in that time
forward    21.4 times: the forward pass of the same input

Measure it again: python take-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.03 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="take",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("take/4d7576d3", profile="finding")
def both():
    return dict(
        a=tensor((640000, 4), "float32", uniform(-1.0, 1.0)),
        indices=tensor((15, 255, 2), "int32", integers(-131072, 262144)),
        axis=-2,
        mode="wrap",
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.03, threads=1, sides=sides))
