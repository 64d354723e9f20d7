"""_npi_any, forward, on MXNet 2.0.0b1: 1.91 times as slow as a neighbour that does equal work.

slow       103 us a call, where 56.0 us were expected
fast       56.0 us a call
step       axis=2
ratio      1.91 times, 95% interval 1.83 to 2.02, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.91 times: axis=2
roofline   8.31 times: this machine can move and compute as much in that time

Measure it again: python _npi_any-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npi_any",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_any/6560d17c", profile="finding")
def slow():
    return dict(
        data=tensor((2, 64, 64), "float32", mask(0.5)),
        axis=(1,),
    )


@case("_npi_any/959d6c35", profile="contrast")
def fast():
    return dict(
        data=tensor((2, 64, 64), "float32", mask(0.5)),
        axis=(2,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.38, threads=1))
