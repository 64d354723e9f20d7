"""_npi_insert_tensor, forward, on MXNet 1.9.1: 4.84 times as slow as a neighbour that does equal work.

slow       110 us a call, where 22.4 us were expected
fast       22.3 us a call
step       obj.shape[0] of 1
ratio      4.84 times, 95% interval 4.68 to 4.96, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.84 times: obj.shape[0] of 1
roofline   7.10 times: this machine can move and compute as much in that time

Measure it again: python _npi_insert_tensor-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.21 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_insert_tensor",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_insert_tensor/7b58c04d", profile="finding")
def slow():
    return dict(
        arr=tensor((512,), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        obj=tensor((2,), "int64", integers(0, 2000)),
    )


@case("_npi_insert_tensor/f76423e1", profile="contrast")
def fast():
    return dict(
        arr=tensor((512,), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        obj=tensor((1,), "int64", integers(0, 2000)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.21, threads=1))
