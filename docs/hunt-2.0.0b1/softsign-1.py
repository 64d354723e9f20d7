"""softsign, backward, on MXNet 2.0.0b1: 2.29 times as slow as a neighbour that does equal work.

slow       132 us a call, where 57.9 us were expected
fast       57.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.29 times, 95% interval 2.09 to 2.56, with 1 thread
family     float16
also       forward, 2.49 times
neighbour  2.29 times: float64: as many elements, 4 times the bytes
roofline   10.8 times: this machine can move and compute as much in that time
forward    2.69 times: the forward pass of the same input

Measure it again: python softsign-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softsign",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("softsign/1f113aaf", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("softsign/c701b899", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.51, threads=1))
