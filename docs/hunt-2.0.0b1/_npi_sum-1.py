"""_npi_sum, forward, on MXNet 2.0.0b1: 6.29 times as slow as a neighbour that does equal work.

slow       177 us a call, where 28.1 us were expected
fast       28.1 us a call
step       axes 0 and 1 exchanged
ratio      6.29 times, 95% interval 6.14 to 6.42, with 1 thread
family     axis is not the last, and float32, and the length along axis is 2 or more, and dtype is not given
also       backward, 1.97 times
neighbour  6.29 times: axes 0 and 1 exchanged
roofline   12.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_sum/2d30a332", profile="finding")
def slow():
    return dict(
        a=tensor((32, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_sum/c98c997b", profile="contrast")
def fast():
    return dict(
        a=tensor((1024, 32), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.51, threads=1))
