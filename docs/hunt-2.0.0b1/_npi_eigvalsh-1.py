"""_npi_eigvalsh, forward, on MXNet 2.0.0b1: 2.33 times as slow as a neighbour that does equal work.

slow       130 us a call, where 54.7 us were expected
fast       54.7 us a call
step       int32: as many elements, as many bytes
ratio      2.33 times, 95% interval 2.26 to 2.41, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.33 times: int32: as many elements, as many bytes
roofline   10.8 times: this machine can move and compute as much in that time

Measure it again: python _npi_eigvalsh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_eigvalsh",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_eigvalsh/ed6d02a8", profile="finding")
def slow():
    return dict(
        A=tensor((32, 4, 4), "float32", matrices("symmetric")),
    )


@case("_npi_eigvalsh/e3edba59", profile="contrast")
def fast():
    return dict(
        A=tensor((32, 4, 4), "int32", matrices("symmetric")),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.53, threads=1))
