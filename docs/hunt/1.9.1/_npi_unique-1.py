"""_npi_unique, forward, on MXNet 1.9.1: 6.37 times as slow as a neighbour that does equal work.

slow       215 us a call, where 32.6 us were expected
fast       32.6 us a call
step       axes 0 and 1 exchanged
ratio      6.37 times, 95% interval 5.04 to 7.23, with 1 thread
family     axis is the last and dtype is float32 or float64 or float16 or int64 and data.shape[-1] <= 128
neighbour  6.60 times: axes 0 and 1 exchanged takes 15% of the time
roofline   12.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_unique-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_unique",
    category="sorting",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_unique/598eef19", profile="finding")
def slow():
    return dict(
        data=tensor((512, 8), "float32", integers(0, 2)),
        axis=1,
    )


@case("_npi_unique/f3efc236", profile="contrast")
def fast():
    return dict(
        data=tensor((8, 512), "float32", integers(0, 2)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.52, threads=1))
