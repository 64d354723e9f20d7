"""norm, forward, on MXNet 2.0.0b1: 2.95 times as slow as a neighbour that does equal work.

slow       56.7 us a call, where 18.9 us were expected
fast       18.9 us a call
step       int64: as many elements, 4 times the bytes
ratio      2.95 times, 95% interval 2.74 to 3.04, with 1 thread
family     float16
neighbour  2.95 times: int64: as many elements, 4 times the bytes
roofline   4.72 times: this machine can move and compute as much in that time
kin        1.39 times: _npi_norm of the same input

Measure it again: python norm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="norm",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("norm/c6eb1683", profile="finding")
def slow():
    return dict(
        data=tensor((512,), "float16", uniform(-1.0, 1.0)),
    )


@case("norm/f200859b", profile="contrast")
def fast():
    return dict(
        data=tensor((512,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.72, threads=1))
