"""_np_any, forward, on MXNet 1.9.1: 1.93 times as slow as a neighbour that does equal work.

slow       261 us a call, where 135 us were expected
fast       135 us a call
step       int64: as many elements, 4 times the bytes
ratio      1.93 times, 95% interval 1.91 to 1.98, with 1 thread
family     float16
neighbour  1.93 times: int64: as many elements, 4 times the bytes
roofline   16.5 times: this machine can move and compute as much in that time

Measure it again: python _np_any-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_np_any",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_any/f366512a", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", mask(0.5)),
    )


@case("_np_any/370ee6db", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int64", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.39, threads=1))
