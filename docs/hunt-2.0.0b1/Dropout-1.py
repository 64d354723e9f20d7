"""Dropout, backward, on MXNet 2.0.0b1: 2.14 times as slow as a neighbour that does equal work.

slow       279 us a call, where 135 us were expected
fast       135 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.14 times, 95% interval 2.03 to 2.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.87 times
neighbour  2.14 times: float64: as many elements, 4 times the bytes
roofline   21.8 times: this machine can move and compute as much in that time

Measure it again: python Dropout-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Dropout",
    category="nn_basic",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Dropout/7a616ebc", profile="finding")
def slow():
    return dict(
        data=tensor((4, 64, 64), "float16", uniform(-1.0, 1.0)),
        axes=(1,),
        p=0.2,
    )


@case("Dropout/377cff29", profile="contrast")
def fast():
    return dict(
        data=tensor((4, 64, 64), "float64", uniform(-1.0, 1.0)),
        axes=(1,),
        p=0.2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
