"""_npi_unique, forward, on MXNet 2.0.0b1: 2.49 times as slow as a neighbour that does equal work.

slow       97.0 us a call, where 39.4 us were expected
fast       39.4 us a call
step       axis=0
ratio      2.49 times, 95% interval 2.42 to 2.55, with 1 thread
family     axis is the last and dtype is float32 or float64 or float16 or int32 and data.shape[-1] <= 80
neighbour  2.47 times: axis=0 takes 41% of the time
roofline   5.37 times: this machine can move and compute as much in that time

Measure it again: python _npi_unique-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_unique",
    category="sorting",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_unique/48e6091b", profile="finding")
def slow():
    return dict(
        data=tensor((64, 10), "float32", integers(0, 2)),
        axis=1,
    )


@case("_npi_unique/9843436b", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 10), "float32", integers(0, 2)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.58, threads=1))
