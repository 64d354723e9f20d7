"""_npi_isneginf, forward, on MXNet 1.9.1: 2.47 times as slow as a neighbour that does equal work.

slow       122 us a call, where 49.7 us were expected
fast       49.7 us a call
step       int32: as many elements, as many bytes
ratio      2.47 times, 95% interval 2.35 to 2.52, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.47 times: int32: as many elements, as many bytes
roofline   5.41 times: this machine can move and compute as much in that time

Measure it again: python _npi_isneginf-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor

SUITE = Suite(
    format=1,
    operator="_npi_isneginf",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_isneginf/0236bf3a", profile="finding")
def slow():
    return dict(
        x=tensor((131073,), "float32", literal(0.5, 1048576.0, -1.5, 0.0, -1048576.0, 3.0)),
    )


@case("_npi_isneginf/842dee7e", profile="contrast")
def fast():
    return dict(
        x=tensor((131073,), "int32", literal(0.5, 1048576.0, -1.5, 0.0, -1048576.0, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.57, threads=1))
