"""_np_all, forward, on MXNet 1.9.1: 1.94 times as slow as a neighbour that does equal work.

slow       134 us a call, where 69.3 us were expected
fast       69.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.94 times, 95% interval 1.91 to 1.95, with 1 thread
family     float16
neighbour  1.94 times: float32: as many elements, 2 times the bytes
roofline   8.51 times: this machine can move and compute as much in that time

Measure it again: python _np_all-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_np_all",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_all/05e8bd2b", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", mask(0.5)),
    )


@case("_np_all/32d201eb", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.39, threads=1))
