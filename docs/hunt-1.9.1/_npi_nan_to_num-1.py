"""_npi_nan_to_num, forward, on MXNet 1.9.1: 8.01 times as slow as a neighbour that does equal work.

slow       157 us a call, where 20.2 us were expected
fast       20.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      8.01 times, 95% interval 6.94 to 8.94, with 1 thread
family     float16
neighbour  8.01 times: int32: as many elements, 2 times the bytes
roofline   9.29 times: this machine can move and compute as much in that time

Measure it again: python _npi_nan_to_num-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.83 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor

SUITE = Suite(
    format=1,
    operator="_npi_nan_to_num",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_nan_to_num/ecde964b", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", literal(0.5, 1048576.0, -1.5, 0.0, -1048576.0, 3.0)),
    )


@case("_npi_nan_to_num/a78f96e3", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "int32", literal(0.5, 1048576.0, -1.5, 0.0, -1048576.0, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.83, threads=1))
