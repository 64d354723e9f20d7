"""SwapAxis, backward, on MXNet 2.0.0b1: 2.27 times as slow as a neighbour that does equal work.

slow       140 us a call, where 61.9 us were expected
fast       61.9 us a call
step       axes 0 and 1 exchanged
ratio      2.27 times, 95% interval 2.23 to 2.29, with 1 thread
family     dim2 is the last and dtype is float32 or float64 or float16
neighbour  2.27 times: axes 0 and 1 exchanged takes 44% of the time
roofline   7.61 times: this machine can move and compute as much in that time
kin        1.74 times: transpose of the same input

Measure it again: python SwapAxis-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SwapAxis",
    category="array",
    mxnet="2.0.0b1",
    seed=1,
)


@case("SwapAxis/c47594b0", profile="finding")
def slow():
    return dict(
        data=tensor((512, 3), "float32", uniform(-1.0, 1.0)),
        dim2=1,
    )


@case("SwapAxis/9cd1902e", profile="contrast")
def fast():
    return dict(
        data=tensor((3, 512), "float32", uniform(-1.0, 1.0)),
        dim2=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.51, threads=1))
