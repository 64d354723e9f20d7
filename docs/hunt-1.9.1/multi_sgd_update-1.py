"""multi_sgd_update, forward, on MXNet 1.9.1: 3.55 times as slow as a neighbour that does equal work.

slow       104 us a call, where 29.1 us were expected
fast       29.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.55 times, 95% interval 3.30 to 3.64, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.55 times: float64: as many elements, 4 times the bytes
roofline   6.69 times: this machine can move and compute as much in that time

Measure it again: python multi_sgd_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="multi_sgd_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("multi_sgd_update/1eb927ab", profile="finding", in_place=("data[0]", "data[2]", "data[4]", "data[6]", "data[8]", "data[10]", "data[12]", "data[14]"))
def slow():
    return dict(
        data=[tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((64,), "float16", uniform(-1.0, 1.0)), tensor((64,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((64,), "float16", uniform(-1.0, 1.0)), tensor((64,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((64,), "float16", uniform(-1.0, 1.0)), tensor((64,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((64,), "float16", uniform(-1.0, 1.0)), tensor((64,), "float16", uniform(-0.1, 0.1))],
        lrs=(0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01),
        num_weights=8,
        wds=(0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001),
    )


@case("multi_sgd_update/6f11b330", profile="contrast", in_place=("data[0]", "data[2]", "data[4]", "data[6]", "data[8]", "data[10]", "data[12]", "data[14]"))
def fast():
    return dict(
        data=[tensor((128,), "float64", uniform(-1.0, 1.0)), tensor((128,), "float64", uniform(-0.1, 0.1)), tensor((64,), "float64", uniform(-1.0, 1.0)), tensor((64,), "float64", uniform(-0.1, 0.1)), tensor((128,), "float64", uniform(-1.0, 1.0)), tensor((128,), "float64", uniform(-0.1, 0.1)), tensor((64,), "float64", uniform(-1.0, 1.0)), tensor((64,), "float64", uniform(-0.1, 0.1)), tensor((128,), "float64", uniform(-1.0, 1.0)), tensor((128,), "float64", uniform(-0.1, 0.1)), tensor((64,), "float64", uniform(-1.0, 1.0)), tensor((64,), "float64", uniform(-0.1, 0.1)), tensor((128,), "float64", uniform(-1.0, 1.0)), tensor((128,), "float64", uniform(-0.1, 0.1)), tensor((64,), "float64", uniform(-1.0, 1.0)), tensor((64,), "float64", uniform(-0.1, 0.1))],
        lrs=(0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01),
        num_weights=8,
        wds=(0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
