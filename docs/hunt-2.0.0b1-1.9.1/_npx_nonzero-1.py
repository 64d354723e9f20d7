"""_npx_nonzero, forward: 2.63 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       25,747 us a call, where 9,579 us were expected
fast       9,579 us a call
step       the same input on MXNet 1.9.1
ratio      2.63 times, 95% interval 2.47 to 2.79, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.63 times: the same input on MXNet 1.9.1
roofline   18.3 times: this machine can move and compute as much in that time

Measure it again: python _npx_nonzero-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.62 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npx_nonzero",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npx_nonzero/59c5feef", profile="finding")
def both():
    return dict(
        x=tensor((1026, 65, 63), "float32", mask(0.01)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.62, threads=1, sides=sides))
