"""_npi_isposinf, forward, on MXNet 1.9.1: 2.50 times as slow as a neighbour that does equal work.

slow       122 us a call, where 49.3 us were expected
fast       49.3 us a call
step       int32: as many elements, as many bytes
ratio      2.50 times, 95% interval 2.45 to 2.72, with 1 thread
family     float32 or float64
neighbour  2.50 times: int32: as many elements, as many bytes
roofline   5.42 times: this machine can move and compute as much in that time

Measure it again: python _npi_isposinf-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor

SUITE = Suite(
    format=1,
    operator="_npi_isposinf",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_isposinf/03934c63", profile="finding")
def slow():
    return dict(
        x=tensor((131072,), "float32", literal(0.5, 1048576.0, -1.5, 0.0, -1048576.0, 3.0)),
    )


@case("_npi_isposinf/38440a74", profile="contrast")
def fast():
    return dict(
        x=tensor((131072,), "int32", literal(0.5, 1048576.0, -1.5, 0.0, -1048576.0, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.58, threads=1))
