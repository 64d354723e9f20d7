"""preloaded_multi_sgd_update, forward, on MXNet 1.9.1: 4.02 times as slow as a neighbour that does equal work.

slow       104 us a call, where 26.2 us were expected
fast       26.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.02 times, 95% interval 3.95 to 4.11, with 1 thread
family     float16
neighbour  4.02 times: float32: as many elements, 2 times the bytes
roofline   6.72 times: this machine can move and compute as much in that time

Measure it again: python preloaded_multi_sgd_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.0 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="preloaded_multi_sgd_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("preloaded_multi_sgd_update/bc93f220", profile="finding", in_place=("data[0]", "data[2]", "data[4]", "data[6]", "data[8]", "data[10]", "data[12]", "data[14]"))
def slow():
    return dict(
        data=[tensor((1024,), "float16", uniform(-1.0, 1.0)), tensor((1024,), "float16", uniform(-0.1, 0.1)), tensor((1,), "float16", uniform(-1.0, 1.0)), tensor((1,), "float16", uniform(-0.1, 0.1)), tensor((1,), "float16", uniform(-1.0, 1.0)), tensor((1,), "float16", uniform(-0.1, 0.1)), tensor((1,), "float16", uniform(-1.0, 1.0)), tensor((1,), "float16", uniform(-0.1, 0.1)), tensor((1,), "float16", uniform(-1.0, 1.0)), tensor((1,), "float16", uniform(-0.1, 0.1)), tensor((1,), "float16", uniform(-1.0, 1.0)), tensor((1,), "float16", uniform(-0.1, 0.1)), tensor((1,), "float16", uniform(-1.0, 1.0)), tensor((1,), "float16", uniform(-0.1, 0.1)), tensor((1,), "float16", uniform(-1.0, 1.0)), tensor((1,), "float16", uniform(-0.1, 0.1)), tensor((8,), "float32", constant(0.01)), tensor((8,), "float32", constant(0.0001))],
        num_weights=8,
    )


@case("preloaded_multi_sgd_update/3e797926", profile="contrast", in_place=("data[0]", "data[2]", "data[4]", "data[6]", "data[8]", "data[10]", "data[12]", "data[14]"))
def fast():
    return dict(
        data=[tensor((1024,), "float32", uniform(-1.0, 1.0)), tensor((1024,), "float32", uniform(-0.1, 0.1)), tensor((1,), "float32", uniform(-1.0, 1.0)), tensor((1,), "float32", uniform(-0.1, 0.1)), tensor((1,), "float32", uniform(-1.0, 1.0)), tensor((1,), "float32", uniform(-0.1, 0.1)), tensor((1,), "float32", uniform(-1.0, 1.0)), tensor((1,), "float32", uniform(-0.1, 0.1)), tensor((1,), "float32", uniform(-1.0, 1.0)), tensor((1,), "float32", uniform(-0.1, 0.1)), tensor((1,), "float32", uniform(-1.0, 1.0)), tensor((1,), "float32", uniform(-0.1, 0.1)), tensor((1,), "float32", uniform(-1.0, 1.0)), tensor((1,), "float32", uniform(-0.1, 0.1)), tensor((1,), "float32", uniform(-1.0, 1.0)), tensor((1,), "float32", uniform(-0.1, 0.1)), tensor((8,), "float32", constant(0.01)), tensor((8,), "float32", constant(0.0001))],
        num_weights=8,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.0, threads=1))
