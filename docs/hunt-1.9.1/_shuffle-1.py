"""_shuffle, forward, on MXNet 1.9.1: 13.2 times as slow as a neighbour that does equal work.

slow       169 us a call, where 12.5 us were expected
fast       12.5 us a call
step       axes 0 and 1 exchanged
ratio      13.2 times, 95% interval 11.8 to 13.6, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  13.2 times: axes 0 and 1 exchanged
model      8.98 times: half of 23 other inputs lie within a factor of 1.08 of it
roofline   10.8 times: this machine can move and compute as much in that time

Measure it again: python _shuffle-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.63 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_shuffle",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_shuffle/13f5c8f8", profile="finding")
def slow():
    return dict(
        data=tensor((8192, 1), "uint8", integers(0, 10)),
    )


@case("_shuffle/612d9def", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 8192), "uint8", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.63, threads=1))
