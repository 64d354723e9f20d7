"""_npi_sign, backward, on MXNet 1.9.1: 3.24 times as slow as a neighbour that does equal work.

slow       298 us a call, where 91.7 us were expected
fast       91.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.24 times, 95% interval 3.10 to 3.38, with 1 thread
family     float16
also       forward, 2.10 times
neighbour  3.24 times: float32: as many elements, 2 times the bytes
roofline   17.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_sign-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sign",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_sign/c12f7642", profile="finding")
def slow():
    return dict(
        x=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_sign/5fb4d92d", profile="contrast")
def fast():
    return dict(
        x=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.8, threads=1))
