"""sqrt, backward, on MXNet 1.9.1: 2.92 times as slow as a neighbour that does equal work.

slow       123 us a call, where 42.5 us were expected
fast       42.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.92 times, 95% interval 2.75 to 3.09, with 1 thread
family     float16
neighbour  2.92 times: float32: as many elements, 2 times the bytes
roofline   7.90 times: this machine can move and compute as much in that time
forward    2.41 times: the forward pass of the same input

Measure it again: python sqrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sqrt",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("sqrt/fb61f46f", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("sqrt/d21bdacf", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.71, threads=1))
