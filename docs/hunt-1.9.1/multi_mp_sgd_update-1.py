"""multi_mp_sgd_update, forward, on MXNet 1.9.1: 2.04 times as slow as a neighbour that does equal work.

slow       103 us a call, where 50.9 us were expected
fast       50.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.04 times, 95% interval 2.00 to 2.13, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.04 times: float32: as many elements, 2 times the bytes
roofline   6.31 times: this machine can move and compute as much in that time

Measure it again: python multi_mp_sgd_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="multi_mp_sgd_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("multi_mp_sgd_update/d78d1ad8", profile="finding", in_place=("data[0]", "data[3]", "data[6]", "data[9]", "data[12]", "data[15]", "data[18]", "data[21]"))
def slow():
    return dict(
        data=[tensor((2048,), "float16", uniform(-1.0, 1.0)), tensor((2048,), "float16", uniform(-0.1, 0.1)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float16", uniform(-1.0, 1.0)), tensor((2048,), "float16", uniform(-0.1, 0.1)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float16", uniform(-1.0, 1.0)), tensor((2048,), "float16", uniform(-0.1, 0.1)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float16", uniform(-1.0, 1.0)), tensor((2048,), "float16", uniform(-0.1, 0.1)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0))],
        lrs=(0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01),
        num_weights=8,
        wds=(0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001),
    )


@case("multi_mp_sgd_update/9fb1cda8", profile="contrast", in_place=("data[0]", "data[3]", "data[6]", "data[9]", "data[12]", "data[15]", "data[18]", "data[21]"))
def fast():
    return dict(
        data=[tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float32", uniform(-0.1, 0.1)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float32", uniform(-0.1, 0.1)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float32", uniform(-0.1, 0.1)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((2048,), "float32", uniform(-0.1, 0.1)), tensor((2048,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0))],
        lrs=(0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01),
        num_weights=8,
        wds=(0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
