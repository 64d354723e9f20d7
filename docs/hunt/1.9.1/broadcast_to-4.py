"""broadcast_to, forward, on MXNet 1.9.1: 4.08 times as slow as a neighbour that does equal work.

slow       137 us a call, where 33.3 us were expected
fast       32.2 us a call
step       axes 0 and 1 exchanged
ratio      4.08 times, 95% interval 3.70 to 4.17, with 1 thread
family     the last dimension is 1,024 times the last dimension but one or more, and shape[-2] is 17 or more
neighbour  4.08 times: axes 0 and 1 exchanged
model      3.80 times: half of 159 other inputs lie within a factor of 1.30 of it
roofline   6.40 times: this machine can move and compute as much in that time

Measure it again: python broadcast_to-4.py
It times both interleaved, and exits with 1 if slow takes more than 2.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_to/54bd5db5", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1024), "float32", uniform(-1.0, 1.0)),
        shape=(27, 1024),
    )


@case("broadcast_to/ab15008f", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1), "float32", uniform(-1.0, 1.0)),
        shape=(1024, 27),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.09, threads=1))
