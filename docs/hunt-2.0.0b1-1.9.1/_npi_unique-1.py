"""_npi_unique, forward: 4.67 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       95.4 us a call, where 19.9 us were expected
fast       19.9 us a call
step       the same input on MXNet 1.9.1
ratio      4.67 times, 95% interval 3.80 to 4.89, with 1 thread
family     axis is not the last, and int64, and the last dimension is 11 or more
side       4.67 times: the same input on MXNet 1.9.1
roofline   7.82 times: this machine can move and compute as much in that time

Measure it again: python _npi_unique-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.16 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_unique",
    category="sorting",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_unique/d8a78511", profile="finding")
def both():
    return dict(
        data=tensor((2, 2048), "int64", integers(0, 10)),
        axis=0,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.16, threads=1, sides=sides))
