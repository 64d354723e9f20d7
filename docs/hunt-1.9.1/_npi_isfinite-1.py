"""_npi_isfinite, forward, on MXNet 1.9.1: 2.00 times as slow as a neighbour that does equal work.

slow       98.0 us a call, where 48.7 us were expected
fast       48.7 us a call
step       int32: as many elements, as many bytes
ratio      2.00 times, 95% interval 1.95 to 2.02, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.00 times: int32: as many elements, as many bytes
roofline   4.34 times: this machine can move and compute as much in that time

Measure it again: python _npi_isfinite-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor

SUITE = Suite(
    format=1,
    operator="_npi_isfinite",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_isfinite/7463db69", profile="finding")
def slow():
    return dict(
        x=tensor((131072,), "float32", literal(0.5, 1048576.0, -1.5, 0.0, -1048576.0, 3.0)),
    )


@case("_npi_isfinite/9252ae9b", profile="contrast")
def fast():
    return dict(
        x=tensor((131072,), "int32", literal(0.5, 1048576.0, -1.5, 0.0, -1048576.0, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.41, threads=1))
