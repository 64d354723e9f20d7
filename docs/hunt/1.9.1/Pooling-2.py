"""Pooling, forward, on MXNet 1.9.1: 6.44 times as slow as a neighbour that does equal work.

slow       479 us a call, where 73.3 us were expected
fast       73.3 us a call
step       float64: as many elements, 2 times the bytes
ratio      6.44 times, 95% interval 6.10 to 6.68, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.69 times
neighbour  6.44 times: float64: as many elements, 2 times the bytes
model      7.62 times: half of 41 other inputs lie within a factor of 1.58 of it
roofline   22.2 times: this machine can move and compute as much in that time

Measure it again: python Pooling-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/973c710b", profile="finding")
def slow():
    return dict(
        data=tensor((1, 32, 512), "float32", uniform(-1.0, 1.0)),
        kernel=(1,),
    )


@case("Pooling/2120cf78", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 32, 512), "float64", uniform(-1.0, 1.0)),
        kernel=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.54, threads=1))
