"""_npi_roll, forward, on MXNet 2.0.0b1: 2.02 times as slow as a neighbour that does equal work.

slow       90.1 us a call, where 44.9 us were expected
fast       44.9 us a call
step       axes 0 and 1 exchanged
ratio      2.02 times, 95% interval 1.96 to 2.06, with 1 thread
family     axis=(0, 1) and shift=(-7143, 0) and data.shape[1] <= 1
neighbour  2.01 times: axes 0 and 1 exchanged takes 50% of the time
model      1.76 times: half of 63 other inputs lie within a factor of 1.12 of it
roofline   4.85 times: this machine can move and compute as much in that time

Measure it again: python _npi_roll-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_roll",
    category="array",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_roll/29e9ee0c", profile="finding")
def slow():
    return dict(
        data=tensor((2050, 1), "float32", uniform(-1.0, 1.0)),
        axis=(0, 1),
        shift=(-7143, 0),
    )


@case("_npi_roll/38b1c455", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 2050), "float32", uniform(-1.0, 1.0)),
        axis=(1, 0),
        shift=(0, -7143),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.42, threads=1))
