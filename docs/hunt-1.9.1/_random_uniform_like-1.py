"""_random_uniform_like, forward, on MXNet 1.9.1: 2.10 times as slow as a neighbour that does equal work.

slow       145 us a call, where 94.3 us were expected
fast       94.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.10 times, 95% interval 1.53 to 2.27, with 1 thread
family     float16
neighbour  2.10 times: float32: as many elements, 2 times the bytes
model      2.27 times: half of 17 other inputs lie within a factor of 1.11 of it
roofline   8.96 times: this machine can move and compute as much in that time

Measure it again: python _random_uniform_like-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_uniform_like",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_random_uniform_like/dbd3f892", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_random_uniform_like/ce63c4e0", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.45, threads=1))
