"""_npi_all, forward, on MXNet 2.0.0b1: 1.94 times as slow as a neighbour that does equal work.

slow       616 us a call, where 317 us were expected
fast       317 us a call
step       int32: as many elements, 2 times the bytes
ratio      1.94 times, 95% interval 1.85 to 1.96, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.94 times: int32: as many elements, 2 times the bytes
roofline   45.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_all-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npi_all",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_all/1133db30", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float16", mask(0.5)),
    )


@case("_npi_all/9377d2bd", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "int32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.39, threads=1))
