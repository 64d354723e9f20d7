"""_npi_sum, backward, on MXNet 2.0.0b1: 1.96 times as slow as a neighbour that does equal work.

slow       285 us a call, where 149 us were expected
fast       149 us a call
step       a.shape[0] of 1 and a.shape[1] of 61,440
ratio      1.96 times, 95% interval 1.86 to 2.03, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.96 times: a.shape[0] of 1 and a.shape[1] of 61,440
model      2.06 times: half of 35 other inputs lie within a factor of 1.18 of it
roofline   18.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/8d314436", profile="finding")
def slow():
    return dict(
        a=tensor((15, 4096), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_sum/62923405", profile="contrast")
def fast():
    return dict(
        a=tensor((1, 61440), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.4, threads=1))
