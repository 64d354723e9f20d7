"""sum, forward, on MXNet 1.9.1: 6.02 times as slow as a neighbour that does equal work.

slow       104 us a call, where 17.2 us were expected
fast       17.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      6.02 times, 95% interval 5.57 to 6.27, with 1 thread
family     float16
neighbour  6.02 times: int32: as many elements, 2 times the bytes
model      3.64 times: half of 40 other inputs lie within a factor of 1.59 of it
roofline   9.05 times: this machine can move and compute as much in that time
kin        4.94 times: _np_sum of the same input
kin        1.93 times: max of the same input

Measure it again: python sum-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sum",
    category="reduction",
    mxnet="1.9.1",
    seed=5,
)


@case("sum/7284b581", profile="finding")
def slow():
    return dict(
        data=tensor((1024,), "float16", uniform(-1.0, 1.0)),
    )


@case("sum/12356bff", profile="contrast")
def fast():
    return dict(
        data=tensor((1024,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.45, threads=1))
