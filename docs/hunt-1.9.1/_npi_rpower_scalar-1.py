"""_npi_rpower_scalar, backward, on MXNet 1.9.1: 2.32 times as slow as a neighbour that does equal work.

slow       151 us a call, where 65.1 us were expected
fast       65.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.32 times, 95% interval 2.26 to 2.38, with 1 thread
family     float16
also       forward, 3.17 times
neighbour  2.32 times: float32: as many elements, 2 times the bytes
roofline   9.69 times: this machine can move and compute as much in that time

Measure it again: python _npi_rpower_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rpower_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_rpower_scalar/ab29e44a", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_rpower_scalar/b37c050f", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.52, threads=1))
