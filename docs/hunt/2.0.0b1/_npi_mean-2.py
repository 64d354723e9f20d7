"""_npi_mean, forward, on MXNet 2.0.0b1: 3.86 times as slow as a neighbour that does equal work.

slow       124 us a call, where 32.3 us were expected
fast       32.3 us a call
step       axis=2
ratio      3.86 times, 95% interval 3.56 to 4.20, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  3.86 times: axis=2
roofline   9.92 times: this machine can move and compute as much in that time

Measure it again: python _npi_mean-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_mean/a03d6cfd", profile="finding")
def slow():
    return dict(
        a=tensor((2, 64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("_npi_mean/552cf271", profile="contrast")
def fast():
    return dict(
        a=tensor((2, 64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(2,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
