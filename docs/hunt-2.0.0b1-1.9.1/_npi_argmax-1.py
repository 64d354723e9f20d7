"""_npi_argmax, forward: 2.96 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       716 us a call, where 244 us were expected
fast       244 us a call
step       the same input on MXNet 1.9.1
ratio      2.96 times, 95% interval 2.89 to 3.04, with 1 thread
family     every input
side       2.96 times: the same input on MXNet 1.9.1
roofline   32.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_argmax-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.72 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_argmax",
    category="sorting",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_argmax/efdd85fc", profile="finding")
def both():
    return dict(
        data=tensor((256, 512), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.72, threads=1, sides=sides))
