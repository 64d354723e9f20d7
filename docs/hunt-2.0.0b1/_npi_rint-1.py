"""_npi_rint, forward, on MXNet 2.0.0b1: 16.1 times as slow as a neighbour that does equal work.

slow       358 us a call, where 23.2 us were expected
fast       15.4 us a call
step       rint: the same operation in another namespace
ratio      16.1 times, 95% interval 14.1 to 17.9, with 1 thread
family     int8 or uint8
neighbour  16.1 times: rint: the same operation in another namespace
roofline   27.0 times: this machine can move and compute as much in that time
kin        24.0 times: rint of the same input

Measure it again: python _npi_rint-1.py
It times both interleaved, and exits with 1 if slow takes more than 6.02 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_rint",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_rint/17c8e01a", profile="finding")
def slow():
    return dict(
        x=tensor((32768,), "int8", integers(1, 8)),
    )


@case("rint/86a90cd9", profile="contrast", operator="rint")
def fast():
    return dict(
        data=tensor((32768,), "int8", integers(1, 8)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=6.02, threads=1))
