"""_npi_moveaxis, forward, on MXNet 2.0.0b1: 2.99 times as slow as a neighbour that does equal work.

slow       59.3 us a call, where 19.9 us were expected
fast       19.9 us a call
step       axes 0 and 1 made one
ratio      2.99 times, 95% interval 2.83 to 3.09, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.99 times: axes 0 and 1 made one
roofline   3.88 times: this machine can move and compute as much in that time

Measure it again: python _npi_moveaxis-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_moveaxis",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_moveaxis/045900a2", profile="finding")
def slow():
    return dict(
        a=tensor((256, 256), "float16", uniform(-1.0, 1.0)),
        destination=(-1,),
        source=(0,),
    )


@case("_npi_moveaxis/4d368ddb", profile="contrast")
def fast():
    return dict(
        a=tensor((65536,), "float16", uniform(-1.0, 1.0)),
        destination=(-1,),
        source=(0,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.73, threads=1))
