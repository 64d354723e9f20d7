"""expm1, backward, on MXNet 2.0.0b1: 2.43 times as slow as a neighbour that does equal work.

slow       233 us a call, where 96.6 us were expected
fast       96.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.43 times, 95% interval 2.30 to 2.55, with 1 thread
family     float16
also       forward, 2.10 times
neighbour  2.43 times: float32: as many elements, 2 times the bytes
roofline   18.8 times: this machine can move and compute as much in that time
forward    1.84 times: the forward pass of the same input

Measure it again: python expm1-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="expm1",
    category="exponential",
    mxnet="2.0.0b1",
    seed=0,
)


@case("expm1/71068d1e", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("expm1/6062c40b", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.56, threads=1))
