"""broadcast_to, backward, on MXNet 1.9.1: 2.25 times as slow as a neighbour that does equal work.

slow       533 us a call, where 238 us were expected
fast       237 us a call
step       axes 2 and 3 exchanged
ratio      2.25 times, 95% interval 2.18 to 2.33, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.25 times: axes 2 and 3 exchanged
model      1.59 times: half of 54 other inputs lie within a factor of 1.12 of it
roofline   23.3 times: this machine can move and compute as much in that time
forward    2.76 times: the forward pass of the same input

Measure it again: python broadcast_to-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_to/d97babf5", profile="finding")
def slow():
    return dict(
        data=tensor((63, 55, 1, 2), "float32", uniform(-1.0, 1.0)),
        shape=(63, 55, 7, 2),
    )


@case("broadcast_to/3ac63e2d", profile="contrast")
def fast():
    return dict(
        data=tensor((63, 55, 2, 1), "float32", uniform(-1.0, 1.0)),
        shape=(63, 55, 2, 7),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.5, threads=1))
