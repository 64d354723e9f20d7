"""SwapAxis, backward, on MXNet 1.9.1: 2.39 times as slow as a neighbour that does equal work.

slow       105 us a call, where 42.0 us were expected
fast       42.0 us a call
step       transpose: both move each element once
ratio      2.39 times, 95% interval 2.22 to 2.51, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 4.92 times
neighbour  2.39 times: transpose: both move each element once
roofline   6.51 times: this machine can move and compute as much in that time
kin        2.53 times: transpose of the same input

Measure it again: python SwapAxis-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SwapAxis",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("SwapAxis/77f29924", profile="finding")
def slow():
    return dict(
        data=tensor((16, 512), "float32", uniform(-1.0, 1.0)),
        dim2=1,
    )


@case("transpose/4684c638", profile="contrast", operator="transpose")
def fast():
    return dict(
        data=tensor((16, 512), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.55, threads=1))
