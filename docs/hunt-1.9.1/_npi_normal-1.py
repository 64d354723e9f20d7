"""_npi_normal, forward, on MXNet 1.9.1: 2.03 times as slow as a neighbour that does equal work.

slow       174 us a call, where 86.5 us were expected
fast       86.5 us a call
step       int64: as many elements, 4 times the bytes
ratio      2.03 times, 95% interval 1.89 to 2.20, with 1 thread
family     float16, and size is not given
neighbour  2.03 times: int64: as many elements, 4 times the bytes
roofline   11.2 times: this machine can move and compute as much in that time

Measure it again: python _npi_normal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_normal",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_normal/356f7074", profile="finding")
def slow():
    return dict(
        input1=tensor((1,), "float16", uniform(-1.0, 1.0)),
        input2=tensor((2048,), "float16", uniform(0.5, 2.0)),
        loc=None,
        scale=None,
    )


@case("_npi_normal/fcdffcdf", profile="contrast")
def fast():
    return dict(
        input1=tensor((1,), "int64", uniform(-1.0, 1.0)),
        input2=tensor((2048,), "int64", uniform(0.5, 2.0)),
        loc=None,
        scale=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
