"""_npi_svd, backward, on MXNet 1.9.1: 2.09 times as slow as a neighbour that does equal work.

slow       3,970 us a call, where 1,939 us were expected
fast       1,939 us a call
step       A.shape[1] of 43,694 and A.shape[0] of 6
ratio      2.09 times, 95% interval 2.04 to 2.14, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.09 times: A.shape[1] of 43,694 and A.shape[0] of 6
model      2.47 times: half of 17 other inputs lie within a factor of 1.05 of it
roofline   33.0 times: this machine can move and compute as much in that time
forward    1.27 times: the forward pass of the same input

Measure it again: python _npi_svd-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_svd",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_svd/8b156e4d", profile="finding")
def slow():
    return dict(
        A=tensor((3, 87388), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_svd/aa315d3b", profile="contrast")
def fast():
    return dict(
        A=tensor((6, 43694), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.44, threads=1))
