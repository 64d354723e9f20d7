"""_logical_or, forward, on MXNet 2.0.0b1: 14.7 times as slow as a neighbour that does equal work.

slow       278 us a call, where 15.6 us were expected
fast       15.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      14.7 times, 95% interval 13.1 to 16.8, with 1 thread
family     float16
neighbour  14.7 times: float32: as many elements, 2 times the bytes
roofline   21.0 times: this machine can move and compute as much in that time
kin        6.93 times: _npi_logical_or of the same input

Measure it again: python _logical_or-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_or",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_logical_or/6d1bc31c", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", mask(0.5)),
        rhs=tensor((16384,), "float16", mask(0.5)),
    )


@case("_logical_or/61d48138", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "float32", mask(0.5)),
        rhs=tensor((16384,), "float32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.84, threads=1))
