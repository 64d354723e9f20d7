"""_npi_copysign_scalar, forward, on MXNet 2.0.0b1: 19.6 times as slow as a neighbour that does equal work.

slow       444 us a call, where 21.1 us were expected
fast       21.1 us a call
step       int32: as many elements, 2 times the bytes
ratio      19.6 times, 95% interval 18.2 to 21.3, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  19.6 times: int32: as many elements, 2 times the bytes
roofline   32.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_copysign_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_copysign_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_copysign_scalar/0c490a64", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_copysign_scalar/e5d19e25", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.43, threads=1))
