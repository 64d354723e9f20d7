"""_npi_cumsum, forward, on MXNet 2.0.0b1: 2.55 times as slow as a neighbour that does equal work.

slow       276 us a call, where 109 us were expected
fast       109 us a call
step       axes 0 and 1 exchanged
ratio      2.55 times, 95% interval 2.45 to 2.72, with 1 thread
family     this input; no family of it holds on fresh draws
also       backward, 2.01 times
neighbour  2.55 times: axes 0 and 1 exchanged
roofline   18.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_cumsum-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_cumsum",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_cumsum/7ec5f934", profile="finding")
def slow():
    return dict(
        a=tensor((61, 512), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("_npi_cumsum/0519bf9d", profile="contrast")
def fast():
    return dict(
        a=tensor((512, 61), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.6, threads=1))
