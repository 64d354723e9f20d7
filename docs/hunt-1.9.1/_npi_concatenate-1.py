"""_npi_concatenate, forward, on MXNet 1.9.1: 2.97 times as slow as a neighbour that does equal work.

slow       105 us a call, where 35.1 us were expected
fast       35.1 us a call
step       axis=0
ratio      2.97 times, 95% interval 2.80 to 3.12, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.97 times: axis=0
roofline   6.51 times: this machine can move and compute as much in that time

Measure it again: python _npi_concatenate-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_concatenate",
    category="join_split",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_concatenate/d65447ba", profile="finding")
def slow():
    return dict(
        data=[tensor((16, 256), "float32", uniform(-1.0, 1.0)), tensor((16, 256), "float32", uniform(-1.0, 1.0))],
        axis=1,
        num_args=2,
    )


@case("_npi_concatenate/31e9b54d", profile="contrast")
def fast():
    return dict(
        data=[tensor((16, 256), "float32", uniform(-1.0, 1.0)), tensor((16, 256), "float32", uniform(-1.0, 1.0))],
        axis=0,
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.72, threads=1))
