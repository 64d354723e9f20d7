"""_np_cumsum, forward, on MXNet 1.9.1: 5.33 times as slow as a neighbour that does equal work.

slow       170 us a call, where 31.8 us were expected
fast       31.8 us a call
step       dtype=int32
ratio      5.33 times, 95% interval 5.09 to 5.56, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  5.33 times: dtype=int32
roofline   14.1 times: this machine can move and compute as much in that time

Measure it again: python _np_cumsum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.31 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_cumsum",
    category="cumulative",
    mxnet="1.9.1",
    seed=5,
)


@case("_np_cumsum/516ad55d", profile="finding")
def slow():
    return dict(
        a=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        dtype="float16",
    )


@case("_np_cumsum/a384fbcd", profile="contrast")
def fast():
    return dict(
        a=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        dtype="int32",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.31, threads=1))
