"""_npi_exponential, forward, on MXNet 2.0.0b1: 1.99 times as slow as a neighbour that does equal work.

slow       2,270 us a call, where 1,141 us were expected
fast       1,141 us a call
step       int32: as many elements, 2 times the bytes
ratio      1.99 times, 95% interval 1.92 to 2.05, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.99 times: int32: as many elements, 2 times the bytes
roofline   134 times: this machine can move and compute as much in that time

Measure it again: python _npi_exponential-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_exponential",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_exponential/40db4257", profile="finding")
def slow():
    return dict(
        input1=tensor((256, 256), "float16", uniform(0.5, 2.0)),
        scale=None,
        size=None,
    )


@case("_npi_exponential/fcf2f34a", profile="contrast")
def fast():
    return dict(
        input1=tensor((256, 256), "int32", uniform(0.5, 2.0)),
        scale=None,
        size=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.41, threads=1))
