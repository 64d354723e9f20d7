"""_cvcopyMakeBorder, forward, on MXNet 2.0.0b1: 2.13 times as slow as a neighbour that does equal work.

slow       751 us a call, where 352 us were expected
fast       352 us a call
step       no type
ratio      2.13 times, 95% interval 2.05 to 2.19, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.13 times: no type
roofline   13.0 times: this machine can move and compute as much in that time

Measure it again: python _cvcopyMakeBorder-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_cvcopyMakeBorder",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_cvcopyMakeBorder/6379fd28", profile="finding")
def slow():
    return dict(
        src=tensor((44896, 8, 3), "uint8", integers(0, 256)),
        bot=4,
        left=4,
        right=7,
        top=7,
        type=4,
        value=0.0,
    )


@case("_cvcopyMakeBorder/5173ea28", profile="contrast")
def fast():
    return dict(
        src=tensor((44896, 8, 3), "uint8", integers(0, 256)),
        bot=4,
        left=4,
        right=7,
        top=7,
        value=0.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.46, threads=1))
