"""norm, forward, on MXNet 1.9.1: 5.72 times as slow as a neighbour that does equal work.

slow       102 us a call, where 18.1 us were expected
fast       18.1 us a call
step       int32: as many elements, 2 times the bytes
ratio      5.72 times, 95% interval 5.59 to 5.85, with 1 thread
family     float16
also       backward, 2.17 times
neighbour  5.72 times: int32: as many elements, 2 times the bytes
model      3.13 times: half of 73 other inputs lie within a factor of 1.60 of it
roofline   8.99 times: this machine can move and compute as much in that time
kin        1.30 times: sum of the same input

Measure it again: python norm-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="norm",
    category="reduction",
    mxnet="1.9.1",
    seed=5,
)


@case("norm/26f13b25", profile="finding")
def slow():
    return dict(
        data=tensor((768,), "float16", uniform(-1.0, 1.0)),
    )


@case("norm/c1e6e153", profile="contrast")
def fast():
    return dict(
        data=tensor((768,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.39, threads=1))
