"""_npx_relu, forward, on MXNet 2.0.0b1: 3.34 times as slow as a neighbour that does equal work.

slow       68.0 us a call, where 20.6 us were expected
fast       20.6 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.34 times, 95% interval 3.09 to 3.48, with 1 thread
family     float16
neighbour  3.34 times: int32: as many elements, 2 times the bytes
roofline   5.30 times: this machine can move and compute as much in that time

Measure it again: python _npx_relu-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.83 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npx_relu",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npx_relu/60f4e2fb", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npx_relu/7d48262d", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.83, threads=1))
