"""_npi_multinomial, forward, on MXNet 1.9.1: 8.77 times as slow as a neighbour that does equal work.

slow       232 us a call, where 26.1 us were expected
fast       26.1 us a call
step       int32: as many elements, 2 times the bytes
ratio      8.77 times, 95% interval 8.39 to 9.07, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  8.77 times: int32: as many elements, 2 times the bytes
roofline   14.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_multinomial-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_multinomial",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_multinomial/ecc4e8f7", profile="finding")
def slow():
    return dict(
        a=tensor((64,), "float16", uniform(0.0015625, 0.0140625)),
        n=3,
        size=(64,),
    )


@case("_npi_multinomial/ba17c81f", profile="contrast")
def fast():
    return dict(
        a=tensor((64,), "int32", uniform(0.0015625, 0.0140625)),
        n=3,
        size=(64,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.96, threads=1))
