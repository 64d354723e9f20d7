"""_npi_uniform_n, forward, on MXNet 1.9.1: 4.12 times as slow as a neighbour that does equal work.

slow       136 us a call, where 33.0 us were expected
fast       33.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      4.12 times, 95% interval 4.04 to 4.17, with 1 thread
family     float16
neighbour  4.12 times: float64: as many elements, 4 times the bytes
roofline   8.72 times: this machine can move and compute as much in that time

Measure it again: python _npi_uniform_n-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.03 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_uniform_n",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_uniform_n/3e44a1e1", profile="finding")
def slow():
    return dict(
        input1=tensor((1,), "float16", uniform(-2.0, 0.0)),
        input2=tensor((2048,), "float16", uniform(1.0, 3.0)),
        high=None,
        low=None,
    )


@case("_npi_uniform_n/c2aa5d59", profile="contrast")
def fast():
    return dict(
        input1=tensor((1,), "float64", uniform(-2.0, 0.0)),
        input2=tensor((2048,), "float64", uniform(1.0, 3.0)),
        high=None,
        low=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.03, threads=1))
