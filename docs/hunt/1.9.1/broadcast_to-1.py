"""broadcast_to, backward, on MXNet 1.9.1: 2.92 times as slow as a neighbour that does equal work.

slow       171 us a call, where 54.9 us were expected
fast       54.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.92 times, 95% interval 2.68 to 3.15, with 1 thread
family     float16
neighbour  2.92 times: float64: as many elements, 4 times the bytes
model      2.95 times: half of 54 other inputs lie within a factor of 1.12 of it
roofline   8.60 times: this machine can move and compute as much in that time
forward    4.76 times: the forward pass of the same input
kin        2.46 times: _npi_broadcast_to of the same input

Measure it again: python broadcast_to-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_to/3a25777d", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1), "float16", uniform(-1.0, 1.0)),
        shape=(39, 32),
    )


@case("broadcast_to/192ddc98", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1), "float64", uniform(-1.0, 1.0)),
        shape=(39, 32),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.71, threads=1))
