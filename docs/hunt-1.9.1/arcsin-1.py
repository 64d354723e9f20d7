"""arcsin, backward, on MXNet 1.9.1: 2.49 times as slow as a neighbour that does equal work.

slow       137 us a call, where 55.9 us were expected
fast       55.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.49 times, 95% interval 2.34 to 2.68, with 1 thread
family     float16
also       forward, 2.27 times
neighbour  2.49 times: float64: as many elements, 4 times the bytes
roofline   8.75 times: this machine can move and compute as much in that time
forward    1.65 times: the forward pass of the same input

Measure it again: python arcsin-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="arcsin",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("arcsin/4405573d", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-0.9, 0.9)),
    )


@case("arcsin/e402173e", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float64", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.58, threads=1))
