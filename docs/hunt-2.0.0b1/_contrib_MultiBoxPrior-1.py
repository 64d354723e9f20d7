"""_contrib_MultiBoxPrior, backward, on MXNet 2.0.0b1: 2.62 times as slow as a neighbour that does equal work.

slow       472 us a call, where 212 us were expected
fast       212 us a call
step       axes 0 and 3 exchanged
ratio      2.62 times, 95% interval 2.34 to 2.80, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.62 times: axes 0 and 3 exchanged
roofline   16.5 times: this machine can move and compute as much in that time
forward    6.01 times: the forward pass of the same input

Measure it again: python _contrib_MultiBoxPrior-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_MultiBoxPrior",
    category="detection",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_MultiBoxPrior/13a58422", profile="finding")
def slow():
    return dict(
        data=tensor((32768, 1, 10, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("_contrib_MultiBoxPrior/22ca9ee7", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1, 10, 32768), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.62, threads=1))
