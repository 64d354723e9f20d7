"""sqrt, backward, on MXNet 2.0.0b1: 5.91 times as slow as a neighbour that does equal work.

slow       296 us a call, where 51.5 us were expected
fast       51.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.91 times, 95% interval 5.53 to 6.27, with 1 thread
family     float16
neighbour  5.91 times: float32: as many elements, 2 times the bytes
roofline   23.1 times: this machine can move and compute as much in that time
forward    2.54 times: the forward pass of the same input

Measure it again: python sqrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sqrt",
    category="power",
    mxnet="2.0.0b1",
    seed=0,
)


@case("sqrt/002e20a8", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(0.1, 2.0)),
    )


@case("sqrt/d4313aa9", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.43, threads=1))
