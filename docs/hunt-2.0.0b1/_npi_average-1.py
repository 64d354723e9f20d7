"""_npi_average, backward, on MXNet 2.0.0b1: 5.49 times as slow as a neighbour that does equal work.

slow       8,523 us a call, where 1,535 us were expected
fast       1,535 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.49 times, 95% interval 5.32 to 5.65, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.49 times: float32: as many elements, 2 times the bytes
roofline   557 times: this machine can move and compute as much in that time
forward    4.84 times: the forward pass of the same input

Measure it again: python _npi_average-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.34 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_average",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_average/84246b32", profile="finding")
def slow():
    return dict(
        a=tensor((256, 256), "float16", uniform(-1.0, 1.0)),
        weights=tensor((256, 256), "float16", uniform(0.1, 1.0)),
        axis=(1,),
    )


@case("_npi_average/16d1d8fb", profile="contrast")
def fast():
    return dict(
        a=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        weights=tensor((256, 256), "float32", uniform(0.1, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.34, threads=1))
