"""_npi_normal_n, forward, on MXNet 1.9.1: 3.18 times as slow as a neighbour that does equal work.

slow       3,795 us a call, where 1,187 us were expected
fast       1,187 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.18 times, 95% interval 3.02 to 3.40, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.18 times: float64: as many elements, 4 times the bytes
roofline   192 times: this machine can move and compute as much in that time

Measure it again: python _npi_normal_n-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_normal_n",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_normal_n/12c6bf7f", profile="finding")
def slow():
    return dict(
        input1=tensor((1,), "float16", uniform(-1.0, 1.0)),
        input2=tensor((65536,), "float16", uniform(0.5, 2.0)),
        loc=None,
        scale=None,
    )


@case("_npi_normal_n/d48ca82b", profile="contrast")
def fast():
    return dict(
        input1=tensor((1,), "float64", uniform(-1.0, 1.0)),
        input2=tensor((65536,), "float64", uniform(0.5, 2.0)),
        loc=None,
        scale=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.78, threads=1))
