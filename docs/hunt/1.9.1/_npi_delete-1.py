"""_npi_delete, forward, on MXNet 1.9.1: 2.79 times as slow as a neighbour that does equal work.

slow       82.4 us a call, where 30.4 us were expected
fast       30.4 us a call
step       axis=1
ratio      2.79 times, 95% interval 2.57 to 3.04, with 1 thread
family     axis is not the last and step >= 2 and dtype is float32 or int64 and arr.shape[-1] <= 1
neighbour  2.71 times: axis=1 takes 37% of the time
model      1.76 times: half of 40 other inputs lie within a factor of 1.50 of it
roofline   4.76 times: this machine can move and compute as much in that time

Measure it again: python _npi_delete-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.67 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_delete",
    category="indexing",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_delete/10ec9cd2", profile="finding")
def slow():
    return dict(
        arr=tensor((540, 1), "float32", uniform(-1.0, 1.0)),
        axis=0,
        step=2,
    )


@case("_npi_delete/3eb816f3", profile="contrast")
def fast():
    return dict(
        arr=tensor((540, 1), "float32", uniform(-1.0, 1.0)),
        axis=1,
        step=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.67, threads=1))
