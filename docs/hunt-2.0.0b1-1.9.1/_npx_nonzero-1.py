"""_npx_nonzero, forward: 3.29 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       26,360 us a call, where 7,798 us were expected
fast       7,798 us a call
step       the same input on MXNet 1.9.1
ratio      3.29 times, 95% interval 3.20 to 3.38, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.29 times: the same input on MXNet 1.9.1
roofline   19.7 times: this machine can move and compute as much in that time

Measure it again: python _npx_nonzero-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.81 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npx_nonzero",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npx_nonzero/d4821c38", profile="finding")
def both():
    return dict(
        x=tensor((4201470,), "float32", mask(0.01)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.81, threads=1, sides=sides))
