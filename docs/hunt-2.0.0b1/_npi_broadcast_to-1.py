"""_npi_broadcast_to, forward, on MXNet 2.0.0b1: 2.94 times as slow as a neighbour that does equal work.

slow       111 us a call, where 36.8 us were expected
fast       36.8 us a call
step       axes 0 and 1 exchanged
ratio      2.94 times, 95% interval 2.40 to 3.11, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.94 times: axes 0 and 1 exchanged
roofline   8.09 times: this machine can move and compute as much in that time

Measure it again: python _npi_broadcast_to-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_broadcast_to",
    category="expanding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_broadcast_to/7fc04e96", profile="finding")
def slow():
    return dict(
        array=tensor((1, 1024), "float32", uniform(-1.0, 1.0)),
        shape=(32, 1024),
    )


@case("_npi_broadcast_to/0b1e46d4", profile="contrast")
def fast():
    return dict(
        array=tensor((1024, 1), "float32", uniform(-1.0, 1.0)),
        shape=(1024, 32),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.71, threads=1))
