"""_npi_insert_tensor, forward, on MXNet 2.0.0b1: 3.68 times as slow as a neighbour that does equal work.

slow       109,266 us a call, where 29,404 us were expected
fast       29,221 us a call
step       arr.shape[0] of 10,000 and arr.shape[1] of 2
ratio      3.68 times, 95% interval 3.61 to 3.75, with 1 thread
family     arr.shape[0] > 10,000 and arr.shape[1] < 2
neighbour  3.72 times: arr.shape[0] of 10,000 and arr.shape[1] of 2 takes 27% of the time
model      128 times: half of 40 other inputs lie within a factor of 1.29 of it
roofline   4,484 times: this machine can move and compute as much in that time

Measure it again: python _npi_insert_tensor-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.93 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_insert_tensor",
    category="indexing",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_insert_tensor/896cf9d4", profile="finding")
def slow():
    return dict(
        arr=tensor((20000, 1), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        obj=tensor((1000,), "int64", integers(0, 2000)),
        axis=0,
    )


@case("_npi_insert_tensor/b1b6f2ed", profile="contrast")
def fast():
    return dict(
        arr=tensor((10000, 2), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        obj=tensor((1000,), "int64", integers(0, 2000)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.93, threads=1))
