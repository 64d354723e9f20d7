"""_np_sum, backward, on MXNet 1.9.1: 5.37 times as slow as a neighbour that does equal work.

slow       1,556 us a call, where 300 us were expected
fast       299 us a call
step       axis=1
ratio      5.37 times, 95% interval 5.07 to 5.71, with 1 thread
family     axis=(0,)
neighbour  5.18 times: axis=1 takes 19% of the time
model      4.83 times: half of 29 other inputs lie within a factor of 1.09 of it
roofline   27.9 times: this machine can move and compute as much in that time

Measure it again: python _np_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.33 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_sum",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("_np_sum/2772d4be", profile="finding")
def slow():
    return dict(
        a=tensor((256, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_np_sum/8c96caad", profile="contrast")
def fast():
    return dict(
        a=tensor((256, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.33, threads=1))
