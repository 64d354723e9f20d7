"""_npx_sigmoid, backward, on MXNet 1.9.1: 3.67 times as slow as a neighbour that does equal work.

slow       133 us a call, where 36.7 us were expected
fast       36.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.67 times, 95% interval 3.57 to 3.85, with 1 thread
family     float16
also       forward, 4.88 times
neighbour  3.67 times: float32: as many elements, 2 times the bytes
roofline   8.50 times: this machine can move and compute as much in that time

Measure it again: python _npx_sigmoid-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.91 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npx_sigmoid",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("_npx_sigmoid/0bed4393", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npx_sigmoid/724b89c4", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.91, threads=1))
