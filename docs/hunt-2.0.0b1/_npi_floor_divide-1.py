"""_npi_floor_divide, forward, on MXNet 2.0.0b1: 4.75 times as slow as a neighbour that does equal work.

slow       165 us a call, where 34.7 us were expected
fast       34.7 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.75 times, 95% interval 4.36 to 4.94, with 1 thread
family     float16
neighbour  4.75 times: int32: as many elements, 2 times the bytes
roofline   13.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_floor_divide-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.18 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_floor_divide",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_floor_divide/8741f1ac", profile="finding")
def slow():
    return dict(
        lhs=tensor((4, 1024), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((4, 1), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_floor_divide/bfe62405", profile="contrast")
def fast():
    return dict(
        lhs=tensor((4, 1024), "int32", uniform(-1.0, 1.0)),
        rhs=tensor((4, 1), "int32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.18, threads=1))
