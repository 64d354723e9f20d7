"""_npi_argmax, forward, on MXNet 1.9.1: 6.70 times as slow as a neighbour that does equal work.

slow       204 us a call, where 31.3 us were expected
fast       31.3 us a call
step       int64
ratio      6.70 times, 95% interval 6.39 to 15.5, with 1 thread
family     dtype is float16
neighbour  6.53 times: int64 takes 15% of the time
model      4.72 times: half of 63 other inputs lie within a factor of 1.20 of it
roofline   11.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_argmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.59 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_argmax/a7a1c068", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_argmax/acea8385", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.59, threads=1))
