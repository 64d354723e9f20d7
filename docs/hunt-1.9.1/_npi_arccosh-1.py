"""_npi_arccosh, backward, on MXNet 1.9.1: 3.38 times as slow as a neighbour that does equal work.

slow       144 us a call, where 42.9 us were expected
fast       42.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.38 times, 95% interval 3.24 to 3.55, with 1 thread
family     float16
also       forward, 3.12 times
neighbour  3.38 times: float32: as many elements, 2 times the bytes
roofline   9.24 times: this machine can move and compute as much in that time

Measure it again: python _npi_arccosh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arccosh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_arccosh/69211855", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(1.1, 4.0)),
    )


@case("_npi_arccosh/892624cb", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(1.1, 4.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.84, threads=1))
