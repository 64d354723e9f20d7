"""_npi_trunc, forward, on MXNet 2.0.0b1: 12.1 times as slow as a neighbour that does equal work.

slow       205 us a call, where 16.9 us were expected
fast       16.9 us a call
step       int32: as many elements, 2 times the bytes
ratio      12.1 times, 95% interval 11.8 to 12.9, with 1 thread
family     float16 or int8 or uint8
neighbour  12.1 times: int32: as many elements, 2 times the bytes
roofline   15.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_trunc-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.48 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_trunc",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_trunc/b577a796", profile="finding")
def slow():
    return dict(
        x=tensor((32768,), "float16", uniform(-8.0, 8.0)),
    )


@case("_npi_trunc/e400c344", profile="contrast")
def fast():
    return dict(
        x=tensor((32768,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.48, threads=1))
