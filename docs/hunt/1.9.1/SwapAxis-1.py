"""SwapAxis, forward, on MXNet 1.9.1: 4.41 times as slow as a neighbour that does equal work.

slow       115 us a call, where 25.8 us were expected
fast       25.8 us a call
step       axes 0 and 1 exchanged
ratio      4.41 times, 95% interval 4.29 to 4.49, with 1 thread
family     dim1 is the last
neighbour  4.46 times: axes 0 and 1 exchanged takes 22% of the time
roofline   6.25 times: this machine can move and compute as much in that time
kin        4.86 times: transpose of the same input

Measure it again: python SwapAxis-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.1 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SwapAxis",
    category="array",
    mxnet="1.9.1",
    seed=1,
)


@case("SwapAxis/0636de7d", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 4), "float32", uniform(-1.0, 1.0)),
        dim1=1,
    )


@case("SwapAxis/11f000fb", profile="contrast")
def fast():
    return dict(
        data=tensor((4, 1024), "float32", uniform(-1.0, 1.0)),
        dim1=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.1, threads=1))
