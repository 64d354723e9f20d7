"""_npx_relu, forward, on MXNet 1.9.1: 4.29 times as slow as a neighbour that does equal work.

slow       132 us a call, where 31.4 us were expected
fast       31.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.29 times, 95% interval 3.78 to 4.63, with 1 thread
family     float16
neighbour  4.29 times: int32: as many elements, 2 times the bytes
roofline   7.84 times: this machine can move and compute as much in that time

Measure it again: python _npx_relu-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.07 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npx_relu",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("_npx_relu/dd18ca0a", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npx_relu/7a69872c", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.07, threads=1))
