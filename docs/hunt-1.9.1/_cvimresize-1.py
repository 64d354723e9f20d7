"""_cvimresize, forward, on MXNet 1.9.1: 3.96 times as slow as a neighbour that does equal work.

slow       149 us a call, where 37.8 us were expected
fast       37.8 us a call
step       src.shape[0] of 24 and src.shape[1] of 7,200
ratio      3.96 times, 95% interval 3.87 to 4.00, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.96 times: src.shape[0] of 24 and src.shape[1] of 7,200
roofline   3.65 times: this machine can move and compute as much in that time

Measure it again: python _cvimresize-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_cvimresize",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_cvimresize/b3b041dc", profile="finding")
def slow():
    return dict(
        src=tensor((480, 360, 3), "float32", integers(0, 256)),
        h=180,
        w=112,
    )


@case("_cvimresize/e6c472f8", profile="contrast")
def fast():
    return dict(
        src=tensor((24, 7200, 3), "float32", integers(0, 256)),
        h=180,
        w=112,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.99, threads=1))
