"""broadcast_to, forward, on MXNet 1.9.1: 2.73 times as slow as a neighbour that does equal work.

slow       126 us a call, where 43.8 us were expected
fast       43.8 us a call
step       axes 0 and 1 exchanged
ratio      2.73 times, 95% interval 2.44 to 3.05, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.73 times: axes 0 and 1 exchanged
roofline   6.89 times: this machine can move and compute as much in that time

Measure it again: python broadcast_to-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.65 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_to/ee59c06e", profile="finding")
def slow():
    return dict(
        data=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
        shape=(256, 256),
    )


@case("broadcast_to/d1a4741d", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 1), "float32", uniform(-1.0, 1.0)),
        shape=(256, 256),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.65, threads=1))
