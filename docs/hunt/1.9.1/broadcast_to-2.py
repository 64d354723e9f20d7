"""broadcast_to, forward, on MXNet 1.9.1: 2.59 times as slow as a neighbour that does equal work.

slow       130 us a call, where 49.8 us were expected
fast       45.4 us a call
step       axes 0 and 1 exchanged
ratio      2.59 times, 95% interval 2.55 to 2.65, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.59 times: axes 0 and 1 exchanged
model      2.48 times: half of 101 other inputs lie within a factor of 1.33 of it
roofline   5.53 times: this machine can move and compute as much in that time

Measure it again: python broadcast_to-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_to/776486c2", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1023), "float32", uniform(-1.0, 1.0)),
        shape=(64, 1023),
    )


@case("broadcast_to/245bdb64", profile="contrast")
def fast():
    return dict(
        data=tensor((1023, 1), "float32", uniform(-1.0, 1.0)),
        shape=(1023, 64),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.77, threads=1))
