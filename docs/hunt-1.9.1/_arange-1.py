"""_arange, forward, on MXNet 1.9.1: 7.88 times as slow as a neighbour that does equal work.

slow       1,584 us a call, where 203 us were expected
fast       203 us a call
step       dtype=float32
ratio      7.88 times, 95% interval 7.55 to 8.13, with 1 thread
family     dtype=float16
neighbour  7.88 times: dtype=float32
roofline   93.9 times: this machine can move and compute as much in that time

Measure it again: python _arange-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.81 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_arange",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_arange/9714c815", profile="finding")
def slow():
    return dict(
        dtype="float16",
        start=0.0,
        stop=65536.0,
    )


@case("_arange/90fd8199", profile="contrast")
def fast():
    return dict(
        dtype="float32",
        start=0.0,
        stop=65536.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.81, threads=1))
