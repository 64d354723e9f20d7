"""multi_mp_sgd_mom_update, forward, on MXNet 1.9.1: 1.97 times as slow as a neighbour that does equal work.

slow       380 us a call, where 187 us were expected
fast       187 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.97 times, 95% interval 1.84 to 2.08, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.97 times: float32: as many elements, 2 times the bytes
roofline   18.6 times: this machine can move and compute as much in that time

Measure it again: python multi_mp_sgd_mom_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="multi_mp_sgd_mom_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("multi_mp_sgd_mom_update/50c2ee2f", profile="finding", in_place=("data[0]", "data[4]", "data[8]", "data[12]", "data[16]", "data[20]", "data[24]", "data[28]"))
def slow():
    return dict(
        data=[tensor((32768,), "float16", uniform(-1.0, 1.0)), tensor((32768,), "float16", uniform(-0.1, 0.1)), tensor((32768,), "float32", constant(0.0)), tensor((32768,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-1.0, 1.0)), tensor((10,), "float16", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0))],
        lrs=(0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01),
        num_weights=8,
        wds=(0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001),
    )


@case("multi_mp_sgd_mom_update/d4cc5729", profile="contrast", in_place=("data[0]", "data[4]", "data[8]", "data[12]", "data[16]", "data[20]", "data[24]", "data[28]"))
def fast():
    return dict(
        data=[tensor((32768,), "float32", uniform(-1.0, 1.0)), tensor((32768,), "float32", uniform(-0.1, 0.1)), tensor((32768,), "float32", constant(0.0)), tensor((32768,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-1.0, 1.0)), tensor((10,), "float32", uniform(-0.1, 0.1)), tensor((10,), "float32", constant(0.0)), tensor((10,), "float32", uniform(-1.0, 1.0))],
        lrs=(0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01),
        num_weights=8,
        wds=(0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.4, threads=1))
