"""_npi_fmod_scalar, backward, on MXNet 2.0.0b1: 4.63 times as slow as a neighbour that does equal work.

slow       521 us a call, where 113 us were expected
fast       113 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.63 times, 95% interval 4.29 to 4.83, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 3.18 times
neighbour  4.63 times: float32: as many elements, 2 times the bytes
roofline   34.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_fmod_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.15 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fmod_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_fmod_scalar/430b50a5", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_fmod_scalar/5ecc2450", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.15, threads=1))
