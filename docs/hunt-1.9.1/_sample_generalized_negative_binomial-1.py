"""_sample_generalized_negative_binomial, forward, on MXNet 1.9.1: 3.49 times as slow as a neighbour that does equal work.

slow       191 us a call, where 54.0 us were expected
fast       54.0 us a call
step       int8: as many elements, half the bytes
ratio      3.49 times, 95% interval 3.40 to 3.53, with 1 thread
family     float16 or float32 or float64
neighbour  3.49 times: int8: as many elements, half the bytes
model      2.63 times: half of 31 other inputs lie within a factor of 1.15 of it
roofline   12.3 times: this machine can move and compute as much in that time

Measure it again: python _sample_generalized_negative_binomial-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sample_generalized_negative_binomial",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_sample_generalized_negative_binomial/247594aa", profile="finding")
def slow():
    return dict(
        mu=tensor((2,), "float16", uniform(0.5, 4.0)),
        alpha=tensor((2,), "float16", uniform(0.5, 2.0)),
        shape=(3, 146),
    )


@case("_sample_generalized_negative_binomial/218df51f", profile="contrast")
def fast():
    return dict(
        mu=tensor((2,), "int8", uniform(0.5, 4.0)),
        alpha=tensor((2,), "int8", uniform(0.5, 2.0)),
        shape=(3, 146),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.87, threads=1))
