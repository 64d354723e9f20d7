"""_npi_stack, backward, on MXNet 1.9.1: 2.03 times as slow as a neighbour that does equal work.

slow       1,445 us a call, where 737 us were expected
fast       737 us a call
step       axis=0
ratio      2.03 times, 95% interval 1.95 to 2.11, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.03 times: axis=0
roofline   7.27 times: this machine can move and compute as much in that time
forward    1.35 times: the forward pass of the same input

Measure it again: python _npi_stack-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_stack",
    category="join_split",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_stack/d05d7726", profile="finding")
def slow():
    return dict(
        data=[tensor((1024, 1024), "float32", uniform(-1.0, 1.0)), tensor((1024, 1024), "float32", uniform(-1.0, 1.0))],
        axis=1,
        num_args=2,
    )


@case("_npi_stack/84b280ce", profile="contrast")
def fast():
    return dict(
        data=[tensor((1024, 1024), "float32", uniform(-1.0, 1.0)), tensor((1024, 1024), "float32", uniform(-1.0, 1.0))],
        axis=0,
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.42, threads=1))
