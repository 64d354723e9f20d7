"""_npi_argmin, forward: 3.07 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       92.8 us a call, where 29.1 us were expected
fast       29.1 us a call
step       the same input on MXNet 1.9.1
ratio      3.07 times, 95% interval 2.93 to 3.19, with 1 thread
family     a dtype other than float16
side       3.07 times: the same input on MXNet 1.9.1
roofline   7.63 times: this machine can move and compute as much in that time

Measure it again: python _npi_argmin-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.75 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_argmin",
    category="sorting",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_argmin/5cce8d09", profile="finding")
def both():
    return dict(
        data=tensor((256, 4, 5), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.75, threads=1, sides=sides))
