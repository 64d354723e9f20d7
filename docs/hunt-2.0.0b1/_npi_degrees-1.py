"""_npi_degrees, forward, on MXNet 2.0.0b1: 9.09 times as slow as a neighbour that does equal work.

slow       268 us a call, where 29.9 us were expected
fast       29.9 us a call
step       int32: as many elements, 2 times the bytes
ratio      9.09 times, 95% interval 8.75 to 9.48, with 1 thread
family     float16 or int8 or uint8
neighbour  9.09 times: int32: as many elements, 2 times the bytes
roofline   19.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_degrees-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_degrees",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_degrees/dac64eae", profile="finding")
def slow():
    return dict(
        x=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_degrees/40691ef5", profile="contrast")
def fast():
    return dict(
        x=tensor((32768,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.01, threads=1))
