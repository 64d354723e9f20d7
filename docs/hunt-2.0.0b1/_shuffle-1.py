"""_shuffle, forward, on MXNet 2.0.0b1: 18.8 times as slow as a neighbour that does equal work.

slow       798 us a call, where 40.3 us were expected
fast       40.3 us a call
step       axes 0 and 1 exchanged
ratio      18.8 times, 95% interval 17.5 to 20.0, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  18.8 times: axes 0 and 1 exchanged
model      16.8 times: half of 18 other inputs lie within a factor of 1.15 of it
roofline   52.1 times: this machine can move and compute as much in that time

Measure it again: python _shuffle-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.34 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_shuffle",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_shuffle/ef999c5f", profile="finding")
def slow():
    return dict(
        data=tensor((32768, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("_shuffle/9e076f1d", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 32768), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.34, threads=1))
