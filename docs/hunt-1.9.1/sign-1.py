"""sign, backward, on MXNet 1.9.1: 3.47 times as slow as a neighbour that does equal work.

slow       187 us a call, where 55.2 us were expected
fast       55.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.47 times, 95% interval 3.38 to 3.56, with 1 thread
family     float16
also       forward, 2.08 times
neighbour  3.47 times: float32: as many elements, 2 times the bytes
roofline   11.1 times: this machine can move and compute as much in that time

Measure it again: python sign-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sign",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("sign/d55ef493", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("sign/bbb073b8", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.86, threads=1))
