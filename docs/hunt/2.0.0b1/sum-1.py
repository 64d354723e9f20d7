"""sum, backward, on MXNet 2.0.0b1: 5.23 times as slow as a neighbour that does equal work.

slow       5,930 us a call, where 1,145 us were expected
fast       1,145 us a call
step       axes 0 and 1 exchanged
ratio      5.23 times, 95% interval 5.16 to 5.33, with 1 thread
family     axis=(0,)
neighbour  5.18 times: axes 0 and 1 exchanged takes 19% of the time
model      5.22 times: half of 30 other inputs lie within a factor of 1.12 of it
roofline   34.1 times: this machine can move and compute as much in that time

Measure it again: python sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.29 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=1,
)


@case("sum/24e5663c", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("sum/dc6fa842", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.29, threads=1))
