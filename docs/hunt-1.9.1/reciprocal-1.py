"""reciprocal, backward, on MXNet 1.9.1: 3.08 times as slow as a neighbour that does equal work.

slow       114 us a call, where 37.0 us were expected
fast       37.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.08 times, 95% interval 3.01 to 3.14, with 1 thread
family     float16
also       forward, 2.68 times
neighbour  3.08 times: float32: as many elements, 2 times the bytes
roofline   7.31 times: this machine can move and compute as much in that time
forward    2.26 times: the forward pass of the same input

Measure it again: python reciprocal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="reciprocal",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("reciprocal/27159cdb", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("reciprocal/087bca90", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.75, threads=1))
