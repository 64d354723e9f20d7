"""_npi_where_scalar2, forward, on MXNet 1.9.1: 2.24 times as slow as a neighbour that does equal work.

slow       43.0 us a call, where 19.5 us were expected
fast       19.5 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.24 times, 95% interval 2.15 to 2.45, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.24 times: int32: as many elements, 2 times the bytes
roofline   2.69 times: this machine can move and compute as much in that time

Measure it again: python _npi_where_scalar2-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npi_where_scalar2",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_where_scalar2/5f36da21", profile="finding")
def slow():
    return dict(
        condition=tensor((8481,), "float16", mask(0.5)),
    )


@case("_npi_where_scalar2/31a9ffd5", profile="contrast")
def fast():
    return dict(
        condition=tensor((8481,), "int32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.5, threads=1))
