"""_npi_vstack, forward, on MXNet 2.0.0b1: 4.35 times as slow as a neighbour that does equal work.

slow       103 us a call, where 20.2 us were expected
fast       20.2 us a call
step       axes 0 and 1 exchanged
ratio      4.35 times, 95% interval 4.05 to 5.04, with 1 thread
family     the first dimension is 8,190 or more, and the last dimension is at most 16, and float32 or float64
           or float16, and at most 3 dimensions
neighbour  4.35 times: axes 0 and 1 exchanged
roofline   7.99 times: this machine can move and compute as much in that time

Measure it again: python _npi_vstack-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_vstack",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_vstack/66747861", profile="finding")
def slow():
    return dict(
        data=[tensor((8192, 1), "float32", uniform(-1.0, 1.0))],
        num_args=1,
    )


@case("_npi_vstack/776f6ceb", profile="contrast")
def fast():
    return dict(
        data=[tensor((1, 8192), "float32", uniform(-1.0, 1.0))],
        num_args=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.09, threads=1))
