"""_np_min, backward, on MXNet 1.9.1: 3.06 times as slow as a neighbour that does equal work.

slow       1,258 us a call, where 403 us were expected
fast       403 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.06 times, 95% interval 2.90 to 3.13, with 1 thread
family     float16
also       forward, 9.10 times
neighbour  3.06 times: float32: as many elements, 2 times the bytes
roofline   74.6 times: this machine can move and compute as much in that time

Measure it again: python _np_min-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_min",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_min/206e65ac", profile="finding")
def slow():
    return dict(
        a=tensor((256, 256), "float16", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("_np_min/eac14ead", profile="contrast")
def fast():
    return dict(
        a=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.75, threads=1))
