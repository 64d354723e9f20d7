"""_npi_insert_slice, forward, on MXNet 1.9.1: 13.7 times as slow as a neighbour that does equal work.

slow       1,942 us a call, where 157 us were expected
fast       157 us a call
step       axis=1
ratio      13.7 times, 95% interval 12.7 to 17.4, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  13.7 times: axis=1
roofline   110 times: this machine can move and compute as much in that time

Measure it again: python _npi_insert_slice-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_insert_slice",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_insert_slice/cda7d955", profile="finding")
def slow():
    return dict(
        arr=tensor((2000, 10), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        axis=0,
        step=2,
    )


@case("_npi_insert_slice/2a4fcd45", profile="contrast")
def fast():
    return dict(
        arr=tensor((2000, 10), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        axis=1,
        step=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.71, threads=1))
