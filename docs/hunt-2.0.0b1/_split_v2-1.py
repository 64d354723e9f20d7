"""_split_v2, forward, on MXNet 2.0.0b1: 6.05 times as slow as a neighbour that does equal work.

slow       327 us a call, where 52.5 us were expected
fast       26.3 us a call
step       int32: as many elements, half the bytes
ratio      6.05 times, 95% interval 5.56 to 6.31, with 1 thread
family     float64 or float16 or int64
neighbour  6.05 times: int32: as many elements, half the bytes
roofline   17.6 times: this machine can move and compute as much in that time

Measure it again: python _split_v2-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.92 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_split_v2",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_split_v2/2afa9765", profile="finding")
def slow():
    return dict(
        data=tensor((64, 512), "float64", uniform(-1.0, 1.0)),
        indices=(),
        sections=1,
    )


@case("_split_v2/223c3e80", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 512), "int32", integers(0, 10)),
        indices=(),
        sections=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.92, threads=1))
