"""khatri_rao, forward, on MXNet 2.0.0b1: 2.17 times as slow as a neighbour that does equal work.

slow       171 us a call, where 77.8 us were expected
fast       75.4 us a call
step       args[1].shape[0] of 31
ratio      2.17 times, 95% interval 2.06 to 2.25, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.17 times: args[1].shape[0] of 31
roofline   12.5 times: this machine can move and compute as much in that time

Measure it again: python khatri_rao-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="khatri_rao",
    category="gemm",
    mxnet="2.0.0b1",
    seed=0,
)


@case("khatri_rao/b3713cd5", profile="finding")
def slow():
    return dict(
        args=[tensor((32, 32), "float32", uniform(-1.0, 1.0)), tensor((32, 32), "float32", uniform(-1.0, 1.0))],
        num_args=2,
    )


@case("khatri_rao/969d8685", profile="contrast")
def fast():
    return dict(
        args=[tensor((32, 32), "float32", uniform(-1.0, 1.0)), tensor((31, 32), "float32", uniform(-1.0, 1.0))],
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.52, threads=1))
