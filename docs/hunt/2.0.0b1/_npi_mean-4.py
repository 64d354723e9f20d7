"""_npi_mean, backward, on MXNet 2.0.0b1: 2.10 times as slow as a neighbour that does equal work.

slow       900 us a call, where 428 us were expected
fast       427 us a call
step       a.shape[1] of 511
ratio      2.10 times, 95% interval 1.99 to 2.29, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.10 times: a.shape[1] of 511
model      3.69 times: half of 23 other inputs lie within a factor of 1.09 of it
roofline   35.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_mean-4.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_mean/92948ff1", profile="finding")
def slow():
    return dict(
        a=tensor((256, 512), "float64", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_mean/4827c354", profile="contrast")
def fast():
    return dict(
        a=tensor((256, 511), "float64", uniform(-1.0, 1.0)),
        axis=(0,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.45, threads=1))
