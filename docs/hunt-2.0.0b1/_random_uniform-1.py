"""_random_uniform, forward, on MXNet 2.0.0b1: 2.14 times as slow as a neighbour that does equal work.

slow       6,432 us a call, where 1,891 us were expected
fast       1,891 us a call
step       dtype=float32
ratio      2.14 times, 95% interval 1.58 to 3.42, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.14 times: dtype=float32
roofline   346 times: this machine can move and compute as much in that time

Measure it again: python _random_uniform-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_random_uniform",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_random_uniform/a39985a5", profile="finding")
def slow():
    return dict(
        dtype="float16",
        high=2.0,
        low=-1.0,
        shape=(512, 512),
    )


@case("_random_uniform/6836d1ae", profile="contrast")
def fast():
    return dict(
        dtype="float32",
        high=2.0,
        low=-1.0,
        shape=(512, 512),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.46, threads=1))
