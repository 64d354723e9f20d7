"""SwapAxis, backward, on MXNet 1.9.1: 2.53 times as slow as a neighbour that does equal work.

slow       152 us a call, where 60.1 us were expected
fast       60.1 us a call
step       axes 0 and 1 exchanged
ratio      2.53 times, 95% interval 2.49 to 2.56, with 1 thread
family     dim1 is the last and dtype is float32 or float64 or float16
neighbour  2.53 times: axes 0 and 1 exchanged takes 39% of the time
roofline   8.26 times: this machine can move and compute as much in that time
kin        2.57 times: transpose of the same input

Measure it again: python SwapAxis-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.59 times as long as fast, else with 0.
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.59, threads=1))
