"""_npi_pad, forward, on MXNet 2.0.0b1: 1.98 times as slow as a neighbour that does equal work.

slow       157 us a call, where 79.5 us were expected
fast       79.5 us a call
step       mode=constant
ratio      1.98 times, 95% interval 1.90 to 2.05, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.98 times: mode=constant
roofline   12.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_pad-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_pad",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_pad/e746c2f3", profile="finding")
def slow():
    return dict(
        data=tensor((766, 8), "float32", uniform(-1.0, 1.0)),
        mode="symmetric",
        pad_width=((1, 1), (1, 1)),
    )


@case("_npi_pad/50110c5e", profile="contrast")
def fast():
    return dict(
        data=tensor((766, 8), "float32", uniform(-1.0, 1.0)),
        mode="constant",
        pad_width=((1, 1), (1, 1)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.41, threads=1))
