"""softmax_cross_entropy, forward, on MXNet 1.9.1: 4.74 times as slow as a neighbour that asks for as much work.

slow       178 us a call, where 37.6 us were expected
fast       37.6 us a call
step       float32
ratio      4.74 times, 95% interval 4.66 to 4.83, with 1 thread
family     dtype is float16
neighbour  4.74 times: float32 takes 21% of the time
model      3.18 times: half of 39 other inputs lie within a factor of 1.16 of it
roofline   10.2 times: this machine can move and compute as much in that time

Is it still so? python softmax_cross_entropy-1.py
It times both in turn, and exits with 1 while slow takes more than 2.18 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax_cross_entropy",
    category="loss",
    mxnet="1.9.1",
    seed=1,
)


@case("softmax_cross_entropy/a841e5c9", profile="finding")
def slow():
    return dict(
        data=tensor((8, 256), "float16", uniform(-1.0, 1.0)),
        label=tensor((8,), "float16", integers(0, 8)),
    )


@case("softmax_cross_entropy/e01351f1", profile="contrast")
def fast():
    return dict(
        data=tensor((8, 256), "float32", uniform(-1.0, 1.0)),
        label=tensor((8,), "float32", integers(0, 8)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.18, threads=1))
