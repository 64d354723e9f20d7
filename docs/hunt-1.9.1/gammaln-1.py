"""gammaln, backward, on MXNet 1.9.1: 1.95 times as slow as a neighbour that does equal work.

slow       106 us a call, where 54.9 us were expected
fast       54.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      1.95 times, 95% interval 1.87 to 2.03, with 1 thread
family     float16
neighbour  1.95 times: float64: as many elements, 4 times the bytes
roofline   6.82 times: this machine can move and compute as much in that time
forward    2.43 times: the forward pass of the same input

Measure it again: python gammaln-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="gammaln",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("gammaln/0312a770", profile="finding")
def slow():
    return dict(
        data=tensor((1024,), "float16", uniform(0.1, 2.0)),
    )


@case("gammaln/cd749ea0", profile="contrast")
def fast():
    return dict(
        data=tensor((1024,), "float64", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.4, threads=1))
