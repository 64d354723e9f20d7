"""_contrib_MultiBoxPrior, forward, on MXNet 1.9.1: 1.96 times as slow as a neighbour that does equal work.

slow       3,587 us a call, where 1,821 us were expected
fast       1,821 us a call
step       no clip
ratio      1.96 times, 95% interval 1.88 to 1.98, with 1 thread
family     clip=True
neighbour  1.96 times: no clip
roofline   27.6 times: this machine can move and compute as much in that time

Measure it again: python _contrib_MultiBoxPrior-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_MultiBoxPrior",
    category="detection",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_MultiBoxPrior/f4f0108a", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 10, 52429), "float32", uniform(-1.0, 1.0)),
        clip=True,
        ratios=(1.0,),
        sizes=(0.1,),
    )


@case("_contrib_MultiBoxPrior/fccf2bbf", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1, 10, 52429), "float32", uniform(-1.0, 1.0)),
        ratios=(1.0,),
        sizes=(0.1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.4, threads=1))
