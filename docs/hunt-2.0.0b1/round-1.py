"""round, forward, on MXNet 2.0.0b1: 17.2 times as slow as a neighbour that does equal work.

slow       307 us a call, where 18.0 us were expected
fast       18.0 us a call
step       int32: as many elements, 2 times the bytes
ratio      17.2 times, 95% interval 16.3 to 18.4, with 1 thread
family     float16 or float64 or float32
neighbour  17.2 times: int32: as many elements, 2 times the bytes
roofline   22.5 times: this machine can move and compute as much in that time

Measure it again: python round-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.15 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="round",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("round/fbba6e46", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-8.0, 8.0)),
    )


@case("round/61c840c8", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.15, threads=1))
