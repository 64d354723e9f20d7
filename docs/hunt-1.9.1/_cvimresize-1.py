"""_cvimresize, forward, on MXNet 1.9.1: 5.07 times as slow as a neighbour that does equal work.

slow       608 us a call, where 119 us were expected
fast       119 us a call
step       src.shape[0] of 360
ratio      5.07 times, 95% interval 4.81 to 5.28, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.07 times: src.shape[0] of 360
model      8.00 times: half of 39 other inputs lie within a factor of 1.53 of it
roofline   30.9 times: this machine can move and compute as much in that time

Measure it again: python _cvimresize-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.26 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_cvimresize",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_cvimresize/dfa07435", profile="finding")
def slow():
    return dict(
        src=tensor((361, 480, 3), "uint8", integers(0, 256)),
        h=180,
        w=240,
    )


@case("_cvimresize/2f98369c", profile="contrast")
def fast():
    return dict(
        src=tensor((360, 480, 3), "uint8", integers(0, 256)),
        h=180,
        w=240,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.26, threads=1))
