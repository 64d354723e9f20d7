"""take, backward: 2.19 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       332 us a call, where 161 us were expected
fast       161 us a call
step       the same input on MXNet 1.9.1
ratio      2.19 times, 95% interval 2.08 to 2.35, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.19 times: the same input on MXNet 1.9.1
roofline   19.9 times: this machine can move and compute as much in that time
forward    6.72 times: the forward pass of the same input

Measure it again: python take-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.48 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="take",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("take/33fb53ef", profile="finding")
def both():
    return dict(
        a=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        indices=tensor((1,), "int32", integers(0, 10000)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.48, threads=1, sides=sides))
