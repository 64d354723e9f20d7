"""_npi_arctan2, backward, on MXNet 1.9.1: 5.99 times as slow as a neighbour that does equal work.

slow       530 us a call, where 87.8 us were expected
fast       87.8 us a call
step       x2.shape[0] of 32
ratio      5.99 times, 95% interval 5.88 to 6.09, with 1 thread
family     x2.shape[0] < 32
neighbour  6.04 times: x2.shape[0] of 32 takes 17% of the time
roofline   26.9 times: this machine can move and compute as much in that time
forward    1.64 times: the forward pass of the same input

Measure it again: python _npi_arctan2-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arctan2",
    category="broadcast",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_arctan2/07a5127b", profile="finding")
def slow():
    return dict(
        x1=tensor((32, 256), "float32", uniform(-1.0, 1.0)),
        x2=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_arctan2/e8646584", profile="contrast")
def fast():
    return dict(
        x1=tensor((32, 256), "float32", uniform(-1.0, 1.0)),
        x2=tensor((32, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.45, threads=1))
