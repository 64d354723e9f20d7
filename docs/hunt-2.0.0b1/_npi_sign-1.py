"""_npi_sign, forward, on MXNet 2.0.0b1: 5.19 times as slow as a neighbour that does equal work.

slow       395 us a call, where 75.5 us were expected
fast       37.7 us a call
step       int8: as many elements, half the bytes
ratio      5.19 times, 95% interval 5.13 to 5.31, with 1 thread
family     float16 or int64
neighbour  5.19 times: int8: as many elements, half the bytes
roofline   15.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_sign-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sign",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_sign/be435138", profile="finding")
def slow():
    return dict(
        x=tensor((262144,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_sign/5152431c", profile="contrast")
def fast():
    return dict(
        x=tensor((262144,), "int8", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.56, threads=1))
