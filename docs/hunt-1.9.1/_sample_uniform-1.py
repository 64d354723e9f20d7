"""_sample_uniform, forward, on MXNet 1.9.1: 3.68 times as slow as a neighbour that does equal work.

slow       99.7 us a call, where 26.0 us were expected
fast       25.9 us a call
step       uint8: as many elements, half the bytes
ratio      3.68 times, 95% interval 3.53 to 3.85, with 1 thread
family     float16
neighbour  3.68 times: uint8: as many elements, half the bytes
roofline   6.43 times: this machine can move and compute as much in that time

Measure it again: python _sample_uniform-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.92 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sample_uniform",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_sample_uniform/199dfbcc", profile="finding")
def slow():
    return dict(
        low=tensor((6,), "float16", uniform(-2.0, 0.0)),
        high=tensor((6,), "float16", uniform(1.0, 3.0)),
        shape=(256,),
    )


@case("_sample_uniform/0363a4ec", profile="contrast")
def fast():
    return dict(
        low=tensor((6,), "uint8", uniform(-2.0, 0.0)),
        high=tensor((6,), "uint8", uniform(1.0, 3.0)),
        shape=(256,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.92, threads=1))
