"""_cvimdecode, forward: 1.99 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       234 us a call, where 117 us were expected
fast       117 us a call
step       the same input on MXNet 1.9.1
ratio      1.99 times, 95% interval 1.79 to 2.01, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.99 times: the same input on MXNet 1.9.1
roofline   8.05 times: this machine can move and compute as much in that time

Measure it again: python _cvimdecode-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.41 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor

SUITE = Suite(
    format=1,
    operator="_cvimdecode",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_cvimdecode/e04dcfe8", profile="finding")
def both():
    return dict(
        buf=tensor((1036908,), "uint8", literal(66.0, 77.0, 70.0, 84.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 54.0, 0.0, 0.0, 0.0, 40.0, 0.0, 0.0, 0.0, 140.0, 4.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 1.0, 0.0, 24.0, 0.0, 0.0, 0.0, 0.0, 0.0, 16.0, 84.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        flag=0,
        to_rgb=True,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.41, threads=1, sides=sides))
