"""_npi_radians, forward: 2.21 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       8,559 us a call, where 3,856 us were expected
fast       1,928 us a call
step       the same input on MXNet 1.9.1
ratio      2.21 times, 95% interval 2.12 to 2.27, with 1 thread
family     a dtype other than float16
side       2.21 times: the same input on MXNet 1.9.1
roofline   168 times: this machine can move and compute as much in that time

Measure it again: python _npi_radians-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.97 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_radians",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_radians/ca66f777", profile="finding")
def both():
    return dict(
        x=tensor((1024, 1024), "int8", integers(1, 8)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.97, threads=1, sides=sides))
