"""_npi_where_scalar2, forward, on MXNet 2.0.0b1: 3.85 times as slow as a neighbour that does equal work.

slow       171 us a call, where 41.5 us were expected
fast       34.5 us a call
step       int8: as many elements, half the bytes
ratio      3.85 times, 95% interval 3.20 to 5.06, with 1 thread
family     float16
neighbour  3.85 times: int8: as many elements, half the bytes
roofline   12.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_where_scalar2-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npi_where_scalar2",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_where_scalar2/d5ffc891", profile="finding")
def slow():
    return dict(
        condition=tensor((16384,), "float16", mask(0.5)),
    )


@case("_npi_where_scalar2/bd72a70a", profile="contrast")
def fast():
    return dict(
        condition=tensor((16384,), "int8", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.36, threads=1))
