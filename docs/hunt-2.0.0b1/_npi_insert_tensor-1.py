"""_npi_insert_tensor, forward, on MXNet 2.0.0b1: 9.79 times as slow as a neighbour that does equal work.

slow       800 us a call, where 78.5 us were expected
fast       69.3 us a call
step       arr.shape[0] of 1 and arr.shape[1] of 5,000
ratio      9.79 times, 95% interval 9.47 to 10.1, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  9.79 times: arr.shape[0] of 1 and arr.shape[1] of 5,000
roofline   62.3 times: this machine can move and compute as much in that time

Measure it again: python _npi_insert_tensor-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_insert_tensor",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_insert_tensor/59142388", profile="finding")
def slow():
    return dict(
        arr=tensor((1000, 5), "int32", integers(0, 10)),
        values=tensor((1,), "int32", integers(0, 10)),
        obj=tensor((1000,), "int64", integers(0, 2000)),
        axis=0,
    )


@case("_npi_insert_tensor/6810b54c", profile="contrast")
def fast():
    return dict(
        arr=tensor((1, 5000), "int32", integers(0, 10)),
        values=tensor((1,), "int32", integers(0, 10)),
        obj=tensor((1,), "int64", integers(0, 2000)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.55, threads=1))
