"""_npi_argmin, forward, on MXNet 2.0.0b1: 2.57 times as slow as a neighbour that does equal work.

slow       377 us a call, where 147 us were expected
fast       147 us a call
step       axes 1 and 2 exchanged
ratio      2.57 times, 95% interval 2.53 to 2.62, with 1 thread
family     data.shape[2] >= 2 and axis=1 and data.shape[1] > 2 and data.shape[2] < 64
neighbour  2.57 times: axes 1 and 2 exchanged takes 39% of the time
model      2.37 times: half of 40 other inputs lie within a factor of 1.13 of it
roofline   20.0 times: this machine can move and compute as much in that time
kin        4.43 times: argmin of the same input

Measure it again: python _npi_argmin-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_argmin",
    category="sorting",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_argmin/41d467ba", profile="finding")
def slow():
    return dict(
        data=tensor((43, 64, 2), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


@case("_npi_argmin/d7dfa54a", profile="contrast")
def fast():
    return dict(
        data=tensor((43, 2, 64), "float32", uniform(-1.0, 1.0)),
        axis=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.6, threads=1))
