"""softsign, backward, on MXNet 1.9.1: 3.09 times as slow as a neighbour that does equal work.

slow       175 us a call, where 57.1 us were expected
fast       57.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.09 times, 95% interval 2.96 to 3.23, with 1 thread
family     float16
also       forward, 3.28 times
neighbour  3.09 times: float32: as many elements, 2 times the bytes
roofline   11.2 times: this machine can move and compute as much in that time
forward    2.96 times: the forward pass of the same input

Measure it again: python softsign-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.76 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softsign",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("softsign/1f113aaf", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("softsign/e108550e", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.76, threads=1))
