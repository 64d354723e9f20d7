"""_npi_advanced_indexing_multiple, backward, on MXNet 2.0.0b1: 1.99 times as slow as a neighbour that does equal work.

slow       203 us a call, where 104 us were expected
fast       104 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.99 times, 95% interval 1.93 to 2.05, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.99 times: float32: as many elements, 2 times the bytes
roofline   16.0 times: this machine can move and compute as much in that time
forward    3.18 times: the forward pass of the same input

Measure it again: python _npi_advanced_indexing_multiple-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_advanced_indexing_multiple",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_advanced_indexing_multiple/864d3853", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1), "float16", uniform(-1.0, 1.0)),
        indices=tensor((1, 10000), "int32", integers(0, 1)),
    )


@case("_npi_advanced_indexing_multiple/db820abe", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1), "float32", uniform(-1.0, 1.0)),
        indices=tensor((1, 10000), "int32", integers(0, 1)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.41, threads=1))
