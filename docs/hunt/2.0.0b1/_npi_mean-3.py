"""_npi_mean, backward, on MXNet 2.0.0b1: 6.81 times as slow as a neighbour that does equal work.

slow       882 us a call, where 125 us were expected
fast       125 us a call
step       _npi_sum: a mean is a sum and one division for each row
ratio      6.81 times, 95% interval 6.41 to 7.15, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  6.81 times: _npi_sum: a mean is a sum and one division for each row
model      8.38 times: half of 23 other inputs lie within a factor of 1.12 of it
roofline   60.4 times: this machine can move and compute as much in that time
forward    1.40 times: the forward pass of the same input
kin        6.22 times: _npi_sum of the same input

Measure it again: python _npi_mean-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_mean/e33a0e87", profile="finding")
def slow():
    return dict(
        a=tensor((10000, 10), "float16", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_sum/34d39a05", profile="contrast", operator="_npi_sum")
def fast():
    return dict(
        a=tensor((10000, 10), "float16", uniform(-1.0, 1.0)),
        axis=(0,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.61, threads=1))
