"""masked_softmax, forward, on MXNet 2.0.0b1: 7.67 times as slow as a neighbour that does equal work.

slow       287 us a call, where 36.6 us were expected
fast       36.6 us a call
step       axes 0 and 1 exchanged
ratio      7.67 times, 95% interval 7.08 to 8.15, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.67 times: axes 0 and 1 exchanged
roofline   23.1 times: this machine can move and compute as much in that time

Measure it again: python masked_softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="masked_softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("masked_softmax/21473763", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 1), "float32", uniform(-1.0, 1.0)),
        mask=tensor((1, 1), "bool", mask(0.5)),
    )


@case("masked_softmax/2e071bb0", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
        mask=tensor((1, 1), "bool", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.77, threads=1))
