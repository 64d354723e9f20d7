"""broadcast_to, backward, on MXNet 1.9.1: 3.23 times as slow as a neighbour that does equal work.

slow       256 us a call, where 78.7 us were expected
fast       78.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.23 times, 95% interval 3.08 to 3.38, with 1 thread
family     float16
neighbour  3.23 times: float32: as many elements, 2 times the bytes
model      4.12 times: half of 54 other inputs lie within a factor of 1.16 of it
roofline   22.2 times: this machine can move and compute as much in that time
forward    7.22 times: the forward pass of the same input
kin        2.83 times: _npi_broadcast_to of the same input

Measure it again: python broadcast_to-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_to/78dda473", profile="finding")
def slow():
    return dict(
        data=tensor((1,), "float16", uniform(-1.0, 1.0)),
        shape=(2048,),
    )


@case("broadcast_to/501aa955", profile="contrast")
def fast():
    return dict(
        data=tensor((1,), "float32", uniform(-1.0, 1.0)),
        shape=(2048,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.8, threads=1))
