"""_npi_vstack, forward, on MXNet 1.9.1: 5.50 times as slow as a neighbour that does equal work.

slow       92.1 us a call, where 16.9 us were expected
fast       16.9 us a call
step       axes 0 and 1 made one
ratio      5.50 times, 95% interval 5.35 to 5.69, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.50 times: axes 0 and 1 made one
roofline   5.70 times: this machine can move and compute as much in that time

Measure it again: python _npi_vstack-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_vstack",
    category="join_split",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_vstack/66747861", profile="finding")
def slow():
    return dict(
        data=[tensor((8192, 1), "float32", uniform(-1.0, 1.0))],
        num_args=1,
    )


@case("_npi_vstack/8d90e881", profile="contrast")
def fast():
    return dict(
        data=[tensor((8192,), "float32", uniform(-1.0, 1.0))],
        num_args=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.35, threads=1))
