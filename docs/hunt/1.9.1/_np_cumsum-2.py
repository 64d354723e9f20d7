"""_np_cumsum, forward, on MXNet 1.9.1: 4.54 times as slow as a neighbour that does equal work.

slow       108 us a call, where 23.9 us were expected
fast       23.9 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.54 times, 95% interval 4.25 to 4.76, with 1 thread
family     float16
also       backward, 2.14 times
neighbour  4.54 times: int32: as many elements, 2 times the bytes
roofline   9.24 times: this machine can move and compute as much in that time

Measure it again: python _np_cumsum-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.13 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_cumsum",
    category="cumulative",
    mxnet="1.9.1",
    seed=5,
)


@case("_np_cumsum/38fa9972", profile="finding")
def slow():
    return dict(
        a=tensor((16, 256), "float16", uniform(-1.0, 1.0)),
        axis=1,
    )


@case("_np_cumsum/512f6668", profile="contrast")
def fast():
    return dict(
        a=tensor((16, 256), "int32", integers(0, 10)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.13, threads=1))
