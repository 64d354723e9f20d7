"""_npi_max, forward, on MXNet 2.0.0b1: 3.23 times as slow as a neighbour that does equal work.

slow       20,845 us a call, where 5,630 us were expected
fast       5,630 us a call
step       axis=2
ratio      3.23 times, 95% interval 2.98 to 3.53, with 1 thread
family     axis=(1,)
neighbour  3.70 times: axis=2 takes 27% of the time
model      3.76 times: half of 40 other inputs lie within a factor of 1.10 of it
roofline   362 times: this machine can move and compute as much in that time

Measure it again: python _npi_max-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_max",
    category="reduction",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_max/5de72cfe", profile="finding")
def slow():
    return dict(
        a=tensor((64, 64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("_npi_max/06e9414d", profile="contrast")
def fast():
    return dict(
        a=tensor((64, 64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(2,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.8, threads=1))
