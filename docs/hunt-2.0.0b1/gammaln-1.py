"""gammaln, backward, on MXNet 2.0.0b1: 2.04 times as slow as a neighbour that does equal work.

slow       853 us a call, where 419 us were expected
fast       419 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.04 times, 95% interval 2.01 to 2.06, with 1 thread
family     float16
also       forward, 2.25 times
neighbour  2.04 times: float64: as many elements, 4 times the bytes
roofline   66.5 times: this machine can move and compute as much in that time
forward    2.34 times: the forward pass of the same input

Measure it again: python gammaln-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="gammaln",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("gammaln/80bb5b0c", profile="finding")
def slow():
    return dict(
        data=tensor((64, 256), "float16", uniform(0.1, 2.0)),
    )


@case("gammaln/37714969", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 256), "float64", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.43, threads=1))
