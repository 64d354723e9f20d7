"""mean, forward, on MXNet 1.9.1: 5.78 times as slow as a neighbour that does equal work.

slow       103 us a call, where 17.8 us were expected
fast       17.8 us a call
step       int64: as many elements, 4 times the bytes
ratio      5.78 times, 95% interval 5.57 to 5.90, with 1 thread
family     float16
neighbour  5.78 times: int64: as many elements, 4 times the bytes
roofline   6.65 times: this machine can move and compute as much in that time
kin        4.89 times: _npi_mean of the same input

Measure it again: python mean-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="mean",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("mean/9904586d", profile="finding")
def slow():
    return dict(
        data=tensor((1024,), "float16", uniform(-1.0, 1.0)),
    )


@case("mean/c350b412", profile="contrast")
def fast():
    return dict(
        data=tensor((1024,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.4, threads=1))
