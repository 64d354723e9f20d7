"""rsqrt, backward, on MXNet 1.9.1: 2.49 times as slow as a neighbour that does equal work.

slow       207 us a call, where 83.4 us were expected
fast       83.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.49 times, 95% interval 2.31 to 2.67, with 1 thread
family     float16
neighbour  2.49 times: float32: as many elements, 2 times the bytes
roofline   13.3 times: this machine can move and compute as much in that time
forward    2.92 times: the forward pass of the same input

Measure it again: python rsqrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="rsqrt",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("rsqrt/f052f57d", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("rsqrt/b649b22c", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.58, threads=1))
