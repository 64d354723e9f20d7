"""_npi_sum, backward, on MXNet 2.0.0b1: 3.03 times as slow as a neighbour that does equal work.

slow       3,080 us a call, where 1,017 us were expected
fast       1,017 us a call
step       axes 0 and 1 exchanged
ratio      3.03 times, 95% interval 2.98 to 3.10, with 1 thread
family     axis=(0,) and a.shape[0] < 1,024 and a.shape[1] > 512
neighbour  3.03 times: axes 0 and 1 exchanged takes 33% of the time
model      3.07 times: half of 28 other inputs lie within a factor of 1.06 of it
roofline   32.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_sum/ee6946dc", profile="finding")
def slow():
    return dict(
        a=tensor((512, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_sum/8b897a0c", profile="contrast")
def fast():
    return dict(
        a=tensor((1024, 512), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.74, threads=1))
