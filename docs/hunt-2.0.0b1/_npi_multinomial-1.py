"""_npi_multinomial, forward, on MXNet 2.0.0b1: 3.83 times as slow as a neighbour that does equal work.

slow       201 us a call, where 53.9 us were expected
fast       53.9 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.83 times, 95% interval 3.53 to 4.19, with 1 thread
family     float16, and n is 1 or more
neighbour  3.83 times: int32: as many elements, 2 times the bytes
roofline   15.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_multinomial-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_multinomial",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_multinomial/7ddda632", profile="finding")
def slow():
    return dict(
        a=tensor((8,), "float16", uniform(0.01, 0.09)),
        n=1,
        size=(1250,),
    )


@case("_npi_multinomial/cb4d6af3", profile="contrast")
def fast():
    return dict(
        a=tensor((8,), "int32", uniform(0.01, 0.09)),
        n=1,
        size=(1250,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
