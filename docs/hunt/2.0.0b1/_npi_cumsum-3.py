"""_npi_cumsum, forward, on MXNet 2.0.0b1: 2.72 times as slow as a neighbour that does equal work.

slow       143 us a call, where 53.2 us were expected
fast       53.2 us a call
step       no dtype
ratio      2.72 times, 95% interval 2.55 to 2.87, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.72 times: no dtype
roofline   9.32 times: this machine can move and compute as much in that time

Measure it again: python _npi_cumsum-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.65 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_cumsum",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_cumsum/ee1a8e2f", profile="finding")
def slow():
    return dict(
        a=tensor((32767,), "int32", integers(0, 10)),
        dtype="float32",
    )


@case("_npi_cumsum/702197d4", profile="contrast")
def fast():
    return dict(
        a=tensor((32767,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.65, threads=1))
