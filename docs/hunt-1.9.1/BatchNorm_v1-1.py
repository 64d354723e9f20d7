"""BatchNorm_v1, backward, on MXNet 1.9.1: 2.33 times as slow as a neighbour that does equal work.

slow       281 us a call, where 123 us were expected
fast       123 us a call
step       use_global_stats=True
ratio      2.33 times, 95% interval 2.25 to 2.43, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.33 times: use_global_stats=True
roofline   17.7 times: this machine can move and compute as much in that time
forward    1.85 times: the forward pass of the same input

Measure it again: python BatchNorm_v1-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="BatchNorm_v1",
    category="normalization",
    mxnet="1.9.1",
    seed=0,
)


@case("BatchNorm_v1/e6386e6c", profile="finding")
def slow():
    return dict(
        data=tensor((1, 2, 21, 118), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((2,), "float32", uniform(0.5, 1.5)),
        beta=tensor((2,), "float32", uniform(-1.0, 1.0)),
        moving_mean=tensor((2,), "float32", uniform(-0.5, 0.5)),
        moving_var=tensor((2,), "float32", uniform(0.5, 1.5)),
        fix_gamma=True,
        use_global_stats=False,
    )


@case("BatchNorm_v1/880cbac9", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 2, 21, 118), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((2,), "float32", uniform(0.5, 1.5)),
        beta=tensor((2,), "float32", uniform(-1.0, 1.0)),
        moving_mean=tensor((2,), "float32", uniform(-0.5, 0.5)),
        moving_var=tensor((2,), "float32", uniform(0.5, 1.5)),
        fix_gamma=True,
        use_global_stats=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.53, threads=1))
