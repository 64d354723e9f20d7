"""_npi_radians, forward, on MXNet 2.0.0b1: 8.23 times as slow as a neighbour that does equal work.

slow       265 us a call, where 31.9 us were expected
fast       31.9 us a call
step       int32: as many elements, 2 times the bytes
ratio      8.23 times, 95% interval 7.57 to 8.65, with 1 thread
family     float16 or int8 or uint8
neighbour  8.23 times: int32: as many elements, 2 times the bytes
roofline   19.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_radians-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_radians",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_radians/86b48045", profile="finding")
def slow():
    return dict(
        x=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_radians/30e9d4cd", profile="contrast")
def fast():
    return dict(
        x=tensor((32768,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.87, threads=1))
