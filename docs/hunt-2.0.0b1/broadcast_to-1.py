"""broadcast_to, backward, on MXNet 2.0.0b1: 2.97 times as slow as a neighbour that does equal work.

slow       181 us a call, where 61.9 us were expected
fast       61.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.97 times, 95% interval 2.89 to 3.05, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.97 times: float32: as many elements, 2 times the bytes
roofline   15.0 times: this machine can move and compute as much in that time
forward    2.85 times: the forward pass of the same input
kin        3.04 times: _npi_broadcast_to of the same input

Measure it again: python broadcast_to-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_to/3d2f1609", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1), "float16", uniform(-1.0, 1.0)),
        shape=(64, 32),
    )


@case("broadcast_to/c4ee3919", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1), "float32", uniform(-1.0, 1.0)),
        shape=(64, 32),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.72, threads=1))
