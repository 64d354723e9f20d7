"""_npi_degrees, forward: 2.04 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       547 us a call, where 264 us were expected
fast       132 us a call
step       the same input on MXNet 1.9.1
ratio      2.04 times, 95% interval 1.93 to 2.12, with 1 thread
family     this input; no family of it holds on fresh draws
side       2.04 times: the same input on MXNet 1.9.1
roofline   31.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_degrees-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.86 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_degrees",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_degrees/c59d6e34", profile="finding")
def both():
    return dict(
        x=tensor((256, 256), "int8", integers(1, 8)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.86, threads=1, sides=sides))
