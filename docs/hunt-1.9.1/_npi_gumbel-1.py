"""_npi_gumbel, forward, on MXNet 1.9.1: 2.23 times as slow as a neighbour that does equal work.

slow       129 us a call, where 57.3 us were expected
fast       57.3 us a call
step       int64: as many elements, 4 times the bytes
ratio      2.23 times, 95% interval 2.17 to 2.30, with 1 thread
family     float16, and scale=None
neighbour  2.23 times: int64: as many elements, 4 times the bytes
roofline   8.26 times: this machine can move and compute as much in that time

Measure it again: python _npi_gumbel-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_gumbel",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_gumbel/b27bdf9f", profile="finding")
def slow():
    return dict(
        input1=tensor((1,), "float16", uniform(-1.0, 1.0)),
        input2=tensor((2048,), "float16", uniform(0.5, 2.0)),
        loc=None,
        scale=None,
    )


@case("_npi_gumbel/f6d0b2fc", profile="contrast")
def fast():
    return dict(
        input1=tensor((1,), "int64", uniform(-1.0, 1.0)),
        input2=tensor((2048,), "int64", uniform(0.5, 2.0)),
        loc=None,
        scale=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.49, threads=1))
