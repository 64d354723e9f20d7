"""preloaded_multi_mp_sgd_update, forward, on MXNet 1.9.1: 2.66 times as slow as a neighbour that does equal work.

slow       164 us a call, where 62.3 us were expected
fast       62.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.66 times, 95% interval 2.57 to 2.74, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.66 times: float32: as many elements, 2 times the bytes
roofline   9.49 times: this machine can move and compute as much in that time

Measure it again: python preloaded_multi_mp_sgd_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.63 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="preloaded_multi_mp_sgd_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("preloaded_multi_mp_sgd_update/9e68c892", profile="finding", in_place=("data[0]", "data[3]", "data[6]", "data[9]", "data[12]", "data[15]", "data[18]", "data[21]"))
def slow():
    return dict(
        data=[tensor((4096,), "float16", uniform(-1.0, 1.0)), tensor((4096,), "float16", uniform(-0.1, 0.1)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float16", uniform(-1.0, 1.0)), tensor((4096,), "float16", uniform(-0.1, 0.1)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float16", uniform(-1.0, 1.0)), tensor((4096,), "float16", uniform(-0.1, 0.1)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float16", uniform(-1.0, 1.0)), tensor((4096,), "float16", uniform(-0.1, 0.1)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-1.0, 1.0)), tensor((128,), "float16", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((8,), "float32", constant(0.01)), tensor((8,), "float32", constant(0.0001))],
        num_weights=8,
    )


@case("preloaded_multi_mp_sgd_update/95728dce", profile="contrast", in_place=("data[0]", "data[3]", "data[6]", "data[9]", "data[12]", "data[15]", "data[18]", "data[21]"))
def fast():
    return dict(
        data=[tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float32", uniform(-0.1, 0.1)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float32", uniform(-0.1, 0.1)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float32", uniform(-0.1, 0.1)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((4096,), "float32", uniform(-0.1, 0.1)), tensor((4096,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((128,), "float32", uniform(-0.1, 0.1)), tensor((128,), "float32", uniform(-1.0, 1.0)), tensor((8,), "float32", constant(0.01)), tensor((8,), "float32", constant(0.0001))],
        num_weights=8,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.63, threads=1))
