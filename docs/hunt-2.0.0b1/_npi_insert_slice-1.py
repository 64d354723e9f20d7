"""_npi_insert_slice, forward, on MXNet 2.0.0b1: 6.78 times as slow as a neighbour that does equal work.

slow       1,125 us a call, where 195 us were expected
fast       195 us a call
step       axis=1
ratio      6.78 times, 95% interval 6.22 to 7.62, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  6.78 times: axis=1
roofline   77.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_insert_slice-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_insert_slice",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_insert_slice/aac6912b", profile="finding")
def slow():
    return dict(
        arr=tensor((2000, 10), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        axis=0,
        step=2,
        stop=None,
    )


@case("_npi_insert_slice/63fd8a6e", profile="contrast")
def fast():
    return dict(
        arr=tensor((2000, 10), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        axis=1,
        step=2,
        stop=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.6, threads=1))
