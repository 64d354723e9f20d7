"""_npi_diff, forward, on MXNet 1.9.1: 4.43 times as slow as a neighbour that does equal work.

slow       292 us a call, where 68.5 us were expected
fast       68.5 us a call
step       int32
ratio      4.43 times, 95% interval 4.12 to 4.98, with 1 thread
family     dtype is float16
neighbour  4.27 times: int32 takes 23% of the time
roofline   16.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_diff-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.1 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_diff",
    category="cumulative",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_diff/eabe8a68", profile="finding")
def slow():
    return dict(
        a=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_diff/80d1dc96", profile="contrast")
def fast():
    return dict(
        a=tensor((2048,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.1, threads=1))
