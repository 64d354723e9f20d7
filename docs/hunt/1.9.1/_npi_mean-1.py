"""_npi_mean, backward, on MXNet 1.9.1: 3.37 times as slow as a neighbour that does equal work.

slow       1,560 us a call, where 463 us were expected
fast       463 us a call
step       axes 0 and 1 exchanged
ratio      3.37 times, 95% interval 3.24 to 3.44, with 1 thread
family     axis is not the last and dtype is float32 or float64
neighbour  3.37 times: axes 0 and 1 exchanged takes 30% of the time
model      4.07 times: half of 27 other inputs lie within a factor of 1.07 of it
roofline   27.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_mean-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_mean/e5995622", profile="finding")
def slow():
    return dict(
        a=tensor((256, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_mean/a1b549cc", profile="contrast")
def fast():
    return dict(
        a=tensor((1024, 256), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.84, threads=1))
