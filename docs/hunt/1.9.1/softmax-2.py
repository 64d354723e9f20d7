"""softmax, forward, on MXNet 1.9.1: 6.76 times as slow as a neighbour that does equal work.

slow       206 us a call, where 31.0 us were expected
fast       31.0 us a call
step       axes 0 and 1 exchanged
ratio      6.76 times, 95% interval 6.46 to 6.94, with 1 thread
family     axis is not the last, and float32, and temperature is not given
neighbour  6.76 times: axes 0 and 1 exchanged
roofline   9.52 times: this machine can move and compute as much in that time

Measure it again: python softmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("softmax/209f35a5", profile="finding")
def slow():
    return dict(
        data=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("softmax/cecbbd4d", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 64), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.6, threads=1))
