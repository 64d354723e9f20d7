"""digamma, backward, on MXNet 2.0.0b1: 2.12 times as slow as a neighbour that does equal work.

slow       232 us a call, where 111 us were expected
fast       111 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.12 times, 95% interval 2.05 to 2.18, with 1 thread
family     float16
neighbour  2.12 times: float32: as many elements, 2 times the bytes
roofline   19.0 times: this machine can move and compute as much in that time
forward    1.55 times: the forward pass of the same input

Measure it again: python digamma-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="digamma",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("digamma/ea663679", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("digamma/d7ba065c", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
