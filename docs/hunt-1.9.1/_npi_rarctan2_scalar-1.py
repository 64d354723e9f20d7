"""_npi_rarctan2_scalar, backward, on MXNet 1.9.1: 3.93 times as slow as a neighbour that does equal work.

slow       145 us a call, where 37.5 us were expected
fast       37.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.93 times, 95% interval 3.78 to 4.00, with 1 thread
family     float16
also       forward, 2.47 times
neighbour  3.93 times: float32: as many elements, 2 times the bytes
roofline   9.35 times: this machine can move and compute as much in that time
forward    1.30 times: the forward pass of the same input

Measure it again: python _npi_rarctan2_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.98 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rarctan2_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_rarctan2_scalar/0ea08bb6", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_rarctan2_scalar/d2f56178", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.98, threads=1))
