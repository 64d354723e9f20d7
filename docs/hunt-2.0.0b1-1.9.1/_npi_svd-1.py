"""_npi_svd, backward: 3.72 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       191 us a call, where 51.7 us were expected
fast       51.7 us a call
step       the same input on MXNet 1.9.1
ratio      3.72 times, 95% interval 3.63 to 3.81, with 1 thread
family     every input
side       3.72 times: the same input on MXNet 1.9.1
roofline   16.2 times: this machine can move and compute as much in that time
forward    4.21 times: the forward pass of the same input

Measure it again: python _npi_svd-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.93 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_svd",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_svd/30b51ee2", profile="finding")
def both():
    return dict(
        A=tensor((4, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.93, threads=1, sides=sides))
