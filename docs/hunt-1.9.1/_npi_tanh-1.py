"""_npi_tanh, forward, on MXNet 1.9.1: 5.21 times as slow as a neighbour that does equal work.

slow       1,548 us a call, where 297 us were expected
fast       148 us a call
step       uint8: as many elements, half the bytes
ratio      5.21 times, 95% interval 5.06 to 5.33, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.21 times: uint8: as many elements, half the bytes
model      3.13 times: half of 40 other inputs lie within a factor of 1.16 of it
roofline   118 times: this machine can move and compute as much in that time

Measure it again: python _npi_tanh-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_tanh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_tanh/c0153bed", profile="finding")
def slow():
    return dict(
        x=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_tanh/77c3b034", profile="contrast")
def fast():
    return dict(
        x=tensor((32768,), "uint8", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.56, threads=1))
