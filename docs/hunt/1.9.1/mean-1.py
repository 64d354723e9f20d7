"""mean, forward, on MXNet 1.9.1: 13.9 times as slow as a neighbour that does equal work.

slow       112,402 us a call, where 8,057 us were expected
fast       8,057 us a call
step       int64
ratio      13.9 times, 95% interval 12.4 to 14.0, with 1 thread
family     dtype is float16
neighbour  14.0 times: int64 takes 7% of the time
model      10.9 times: half of 39 other inputs lie within a factor of 1.10 of it
roofline   1,193 times: this machine can move and compute as much in that time
kin        5.66 times: _npi_mean of the same input

Measure it again: python mean-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="mean",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("mean/35758981", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "float16", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("mean/e753dac6", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "int64", integers(0, 10)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.73, threads=1))
