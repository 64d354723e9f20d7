"""_cvcopyMakeBorder, forward, on MXNet 1.9.1: 5.94 times as slow as a neighbour that does equal work.

slow       179 us a call, where 30.6 us were expected
fast       30.6 us a call
step       src.shape[0] of 1 and src.shape[2] of 16,384
ratio      5.94 times, 95% interval 5.68 to 6.49, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.94 times: src.shape[0] of 1 and src.shape[2] of 16,384
roofline   9.77 times: this machine can move and compute as much in that time

Measure it again: python _cvcopyMakeBorder-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_cvcopyMakeBorder",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_cvcopyMakeBorder/ca9ecd9a", profile="finding")
def slow():
    return dict(
        src=tensor((16384, 1, 1), "float32", integers(0, 256)),
        bot=1,
        left=1,
        right=1,
        top=1,
    )


@case("_cvcopyMakeBorder/c0603f76", profile="contrast")
def fast():
    return dict(
        src=tensor((1, 1, 16384), "float32", integers(0, 256)),
        bot=1,
        left=1,
        right=1,
        top=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.44, threads=1))
