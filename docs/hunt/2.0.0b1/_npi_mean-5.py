"""_npi_mean, backward, on MXNet 2.0.0b1: 4.60 times as slow as a neighbour that does equal work.

slow       913 us a call, where 198 us were expected
fast       198 us a call
step       _npi_sum: a mean is a sum and one division for each row
ratio      4.60 times, 95% interval 4.44 to 4.77, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  4.60 times: _npi_sum: a mean is a sum and one division for each row
model      10.4 times: half of 23 other inputs lie within a factor of 1.09 of it
roofline   66.8 times: this machine can move and compute as much in that time
forward    2.28 times: the forward pass of the same input
kin        4.48 times: _npi_sum of the same input

Measure it again: python _npi_mean-5.py
It times both interleaved, and exits with 1 if slow takes more than 2.15 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_mean/2c2a23e3", profile="finding")
def slow():
    return dict(
        a=tensor((256, 256), "float16", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("_npi_sum/acafee15", profile="contrast", operator="_npi_sum")
def fast():
    return dict(
        a=tensor((256, 256), "float16", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.15, threads=1))
