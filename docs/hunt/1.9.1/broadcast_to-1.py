"""broadcast_to, forward, on MXNet 1.9.1: 4.27 times as slow as a neighbour that does equal work.

slow       184 us a call, where 42.1 us were expected
fast       39.5 us a call
step       axes 0 and 1 exchanged
ratio      4.27 times, 95% interval 2.84 to 4.38, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  4.27 times: axes 0 and 1 exchanged
model      2.91 times: half of 101 other inputs lie within a factor of 1.31 of it
roofline   10.2 times: this machine can move and compute as much in that time

Measure it again: python broadcast_to-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.2 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_to/ee4e98e7", profile="finding")
def slow():
    return dict(
        data=tensor((1, 256), "int64", integers(0, 10)),
        shape=(256, 256),
    )


@case("broadcast_to/23a8c297", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 1), "int64", integers(0, 10)),
        shape=(256, 256),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.2, threads=1))
