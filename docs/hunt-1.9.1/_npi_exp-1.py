"""_npi_exp, backward, on MXNet 1.9.1: 3.41 times as slow as a neighbour that does equal work.

slow       189 us a call, where 56.9 us were expected
fast       56.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.41 times, 95% interval 3.18 to 3.67, with 1 thread
family     float16
also       forward, 3.53 times
neighbour  3.41 times: float32: as many elements, 2 times the bytes
roofline   11.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_exp-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.85 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_exp",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_exp/cd5fb8d9", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_exp/5f465cb4", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.85, threads=1))
