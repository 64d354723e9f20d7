"""SVMOutput, backward: 1.91 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       336 us a call, where 175 us were expected
fast       175 us a call
step       the same input on MXNet 1.9.1
ratio      1.91 times, 95% interval 1.80 to 1.96, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.91 times: the same input on MXNet 1.9.1
roofline   15.7 times: this machine can move and compute as much in that time
forward    6.95 times: the forward pass of the same input

Measure it again: python SVMOutput-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.38 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SVMOutput",
    category="loss",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SVMOutput/a4670ef1", profile="finding")
def both():
    return dict(
        data=tensor((972, 60), "float32", uniform(-1.0, 1.0)),
        label=tensor((972,), "float32", integers(0, 60)),
        margin=0.5,
        use_linear=True,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.38, threads=1, sides=sides))
