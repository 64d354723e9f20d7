"""tile, forward, on MXNet 1.9.1: 2.81 times as slow as a neighbour that does equal work.

slow       1,192 us a call, where 407 us were expected
fast       407 us a call
step       axes 0 and 1 exchanged
ratio      2.81 times, 95% interval 2.65 to 2.91, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.12 times
neighbour  2.81 times: axes 0 and 1 exchanged
model      10.4 times: half of 130 other inputs lie within a factor of 1.49 of it
roofline   62.7 times: this machine can move and compute as much in that time

Measure it again: python tile-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="tile",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("tile/ea8fcc49", profile="finding")
def slow():
    return dict(
        data=tensor((10000, 5), "int32", integers(0, 10)),
        reps=(1, 2),
    )


@case("tile/ecadc284", profile="contrast")
def fast():
    return dict(
        data=tensor((5, 10000), "int32", integers(0, 10)),
        reps=(2, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.68, threads=1))
