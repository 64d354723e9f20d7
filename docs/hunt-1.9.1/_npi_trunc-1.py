"""_npi_trunc, forward, on MXNet 1.9.1: 2.81 times as slow as a neighbour that does equal work.

slow       111 us a call, where 39.6 us were expected
fast       39.6 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.81 times, 95% interval 2.63 to 2.83, with 1 thread
family     float16
neighbour  2.81 times: int32: as many elements, 2 times the bytes
roofline   6.90 times: this machine can move and compute as much in that time

Measure it again: python _npi_trunc-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_trunc",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_trunc/c59a2a26", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-8.0, 8.0)),
    )


@case("_npi_trunc/655c593d", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.68, threads=1))
