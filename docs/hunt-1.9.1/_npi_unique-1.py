"""_npi_unique, forward, on MXNet 1.9.1: 2.05 times as slow as a neighbour that does equal work.

slow       163 us a call, where 79.0 us were expected
fast       79.0 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.05 times, 95% interval 1.96 to 2.14, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.05 times: int32: as many elements, 2 times the bytes
roofline   10.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_unique-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_unique",
    category="sorting",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_unique/d41edfba", profile="finding")
def slow():
    return dict(
        data=tensor((1024,), "float16", integers(0, 1000)),
    )


@case("_npi_unique/d3f44c14", profile="contrast")
def fast():
    return dict(
        data=tensor((1024,), "int32", integers(0, 1000)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
