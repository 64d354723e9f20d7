"""mean, forward, on MXNet 2.0.0b1: 193 times as slow as a neighbour that does equal work.

slow       114,356 us a call, where 606 us were expected
fast       606 us a call
step       float32
ratio      193 times, 95% interval 185 to 213, with 1 thread
family     dtype is float16
neighbour  189 times: float32 takes 1% of the time
model      463 times: half of 39 other inputs lie within a factor of 1.18 of it
roofline   1,193 times: this machine can move and compute as much in that time
kin        3.59 times: _npi_mean of the same input

Measure it again: python mean-1.py
It times both interleaved, and exits with 1 if slow takes more than 13.9 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=1,
)


@case("mean/04a684e6", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "float16", uniform(-1.0, 1.0)),
    )


@case("mean/282c1884", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=13.9, threads=1))
