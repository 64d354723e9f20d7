"""_npi_hypot, backward, on MXNet 2.0.0b1: 10.5 times as slow as a neighbour that does equal work.

slow       17,256 us a call, where 1,045 us were expected
fast       1,045 us a call
step       x2.shape[0] of 256
ratio      10.5 times, 95% interval 8.45 to 13.5, with 1 thread
family     x2.shape[0] < 256
neighbour  16.5 times: x2.shape[0] of 256 takes 6% of the time
roofline   460 times: this machine can move and compute as much in that time
forward    31.1 times: the forward pass of the same input

Measure it again: python _npi_hypot-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_hypot",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_hypot/cf14acb0", profile="finding")
def slow():
    return dict(
        x1=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        x2=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_hypot/b968be02", profile="contrast")
def fast():
    return dict(
        x1=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        x2=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=3.25, threads=1))
