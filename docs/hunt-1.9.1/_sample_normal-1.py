"""_sample_normal, forward, on MXNet 1.9.1: 2.10 times as slow as a neighbour that does equal work.

slow       10,373 us a call, where 5,012 us were expected
fast       5,012 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.10 times, 95% interval 1.99 to 2.20, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.10 times: float32: as many elements, 2 times the bytes
roofline   490 times: this machine can move and compute as much in that time

Measure it again: python _sample_normal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sample_normal",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_sample_normal/c12be649", profile="finding")
def slow():
    return dict(
        mu=tensor((512,), "float16", uniform(0.5, 4.0)),
        sigma=tensor((512,), "float16", uniform(0.5, 2.0)),
        shape=(256,),
    )


@case("_sample_normal/c1a7eb29", profile="contrast")
def fast():
    return dict(
        mu=tensor((512,), "float32", uniform(0.5, 4.0)),
        sigma=tensor((512,), "float32", uniform(0.5, 2.0)),
        shape=(256,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.45, threads=1))
