"""_contrib_arange_like, forward, on MXNet 2.0.0b1: 3.91 times as slow as a neighbour that does equal work.

slow       117 us a call, where 30.0 us were expected
fast       30.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.91 times, 95% interval 3.76 to 4.05, with 1 thread
family     float16
neighbour  3.91 times: float32: as many elements, 2 times the bytes
roofline   9.44 times: this machine can move and compute as much in that time

Measure it again: python _contrib_arange_like-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.98 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_arange_like",
    category="creation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_arange_like/de6e39a3", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_arange_like/7c5a80f8", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.98, threads=1))
