"""_contrib_sign_ste, forward, on MXNet 1.9.1: 4.17 times as slow as a neighbour that does equal work.

slow       152 us a call, where 36.4 us were expected
fast       36.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.17 times, 95% interval 3.87 to 4.63, with 1 thread
family     float16 or float64
neighbour  4.17 times: int32: as many elements, 2 times the bytes
roofline   9.02 times: this machine can move and compute as much in that time

Measure it again: python _contrib_sign_ste-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.04 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_sign_ste",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_sign_ste/8d21ad59", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_sign_ste/42fa0d54", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.04, threads=1))
