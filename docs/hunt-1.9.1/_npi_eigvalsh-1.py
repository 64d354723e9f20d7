"""_npi_eigvalsh, forward, on MXNet 1.9.1: 2.40 times as slow as a neighbour that does equal work.

slow       92.1 us a call, where 37.4 us were expected
fast       37.4 us a call
step       int32: as many elements, as many bytes
ratio      2.40 times, 95% interval 2.30 to 2.44, with 1 thread
family     float32 or float64
neighbour  2.40 times: int32: as many elements, as many bytes
model      2.43 times: half of 20 other inputs lie within a factor of 1.08 of it
roofline   5.96 times: this machine can move and compute as much in that time

Measure it again: python _npi_eigvalsh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_eigvalsh",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_eigvalsh/2bd85faf", profile="finding")
def slow():
    return dict(
        A=tensor((43, 4, 4), "float32", matrices("symmetric")),
    )


@case("_npi_eigvalsh/4d88e20c", profile="contrast")
def fast():
    return dict(
        A=tensor((43, 4, 4), "int32", matrices("symmetric")),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.55, threads=1))
