"""Pad, backward, on MXNet 1.9.1: 2.16 times as slow as a neighbour that does equal work.

slow       722 us a call, where 331 us were expected
fast       331 us a call
step       mode=constant
ratio      2.16 times, 95% interval 2.05 to 2.25, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.16 times: mode=constant
roofline   11.2 times: this machine can move and compute as much in that time
forward    1.28 times: the forward pass of the same input

Measure it again: python Pad-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pad",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("Pad/395714f4", profile="finding")
def slow():
    return dict(
        data=tensor((8, 64, 32, 32), "float32", uniform(-1.0, 1.0)),
        mode="reflect",
        pad_width=(0, 0, 0, 0, 1, 1, 1, 1),
    )


@case("Pad/1d311984", profile="contrast")
def fast():
    return dict(
        data=tensor((8, 64, 32, 32), "float32", uniform(-1.0, 1.0)),
        mode="constant",
        pad_width=(0, 0, 0, 0, 1, 1, 1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.47, threads=1))
