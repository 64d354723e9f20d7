"""_npi_unique, forward, on MXNet 1.9.1: 3.16 times as slow as a neighbour that does equal work.

slow       164 us a call, where 57.4 us were expected
fast       57.4 us a call
step       float32
ratio      3.16 times, 95% interval 2.02 to 3.74, with 1 thread
family     axis is not the last and dtype is int32 or int8 or uint8
neighbour  2.86 times: float32 takes 35% of the time
roofline   9.28 times: this machine can move and compute as much in that time

Measure it again: python _npi_unique-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_unique",
    category="sorting",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_unique/13722da2", profile="finding")
def slow():
    return dict(
        data=tensor((6, 31, 15), "int32", integers(0, 2)),
        axis=1,
    )


@case("_npi_unique/e3fc1bf5", profile="contrast")
def fast():
    return dict(
        data=tensor((6, 31, 15), "float32", integers(0, 2)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.78, threads=1))
