"""_npi_argmin, forward, on MXNet 1.9.1: 6.77 times as slow as a neighbour that does equal work.

slow       208 us a call, where 30.8 us were expected
fast       30.8 us a call
step       int64
ratio      6.77 times, 95% interval 6.58 to 15.8, with 1 thread
family     dtype is float16
neighbour  6.76 times: int64 takes 15% of the time
model      3.72 times: half of 40 other inputs lie within a factor of 1.16 of it
roofline   11.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_argmin-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_argmin",
    category="sorting",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_argmin/cc2533c4", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_argmin/d1430040", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.6, threads=1))
