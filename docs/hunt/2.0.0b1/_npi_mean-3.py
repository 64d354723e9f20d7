"""_npi_mean, backward, on MXNet 2.0.0b1: 5.71 times as slow as a neighbour that does equal work.

slow       592 us a call, where 106 us were expected
fast       106 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.71 times, 95% interval 5.61 to 5.89, with 1 thread
family     this input; no family of it holds on fresh draws
also       forward, 14.5 times
neighbour  5.71 times: float32: as many elements, 2 times the bytes
model      6.75 times: half of 23 other inputs lie within a factor of 1.09 of it
roofline   43.4 times: this machine can move and compute as much in that time
forward    1.41 times: the forward pass of the same input
kin        6.29 times: _npi_sum of the same input

Measure it again: python _npi_mean-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_mean/07b2d521", profile="finding")
def slow():
    return dict(
        a=tensor((255, 256), "float16", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("_npi_mean/d291de56", profile="contrast")
def fast():
    return dict(
        a=tensor((255, 256), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.39, threads=1))
