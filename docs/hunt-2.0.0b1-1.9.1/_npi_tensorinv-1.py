"""_npi_tensorinv, backward: 2.02 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       1,893 us a call, where 920 us were expected
fast       920 us a call
step       the same input on MXNet 1.9.1
ratio      2.02 times, 95% interval 1.93 to 2.12, with 1 thread
family     every input
side       2.02 times: the same input on MXNet 1.9.1
roofline   5.54 times: this machine can move and compute as much in that time

Measure it again: python _npi_tensorinv-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.42 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_tensorinv",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_tensorinv/b2f8c989", profile="finding")
def both():
    return dict(
        a=tensor((256, 256), "float32", matrices("dominant")),
        ind=1,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.42, threads=1, sides=sides))
