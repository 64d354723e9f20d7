"""_contrib_arange_like, forward, on MXNet 1.9.1: 5.85 times as slow as a neighbour that does equal work.

slow       112 us a call, where 18.9 us were expected
fast       18.9 us a call
step       int64: as many elements, 4 times the bytes
ratio      5.85 times, 95% interval 5.27 to 6.09, with 1 thread
family     float16
neighbour  5.85 times: int64: as many elements, 4 times the bytes
roofline   7.19 times: this machine can move and compute as much in that time

Measure it again: python _contrib_arange_like-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_arange_like",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_arange_like/023d8504", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_arange_like/a5b50f35", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.42, threads=1))
