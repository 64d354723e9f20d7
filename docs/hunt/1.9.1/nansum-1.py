"""nansum, forward, on MXNet 1.9.1: 13.7 times as slow as a neighbour that does equal work.

slow       123,401 us a call, where 8,822 us were expected
fast       8,822 us a call
step       int64
ratio      13.7 times, 95% interval 12.7 to 14.7, with 1 thread
family     dtype is float16
neighbour  14.0 times: int64 takes 7% of the time
model      11.6 times: half of 40 other inputs lie within a factor of 1.08 of it
roofline   1,310 times: this machine can move and compute as much in that time

Measure it again: python nansum-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.7 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="nansum",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("nansum/fb45099a", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "float16", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("nansum/cdae3f32", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "int64", integers(0, 10)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.7, threads=1))
