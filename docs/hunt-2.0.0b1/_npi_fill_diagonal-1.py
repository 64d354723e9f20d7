"""_npi_fill_diagonal, forward, on MXNet 2.0.0b1: 2.69 times as slow as a neighbour that does equal work.

slow       104 us a call, where 37.5 us were expected
fast       37.5 us a call
step       wrap=False
ratio      2.69 times, 95% interval 2.46 to 2.78, with 1 thread
family     wrap=True, and the last dimension but one is 1,365 or more
neighbour  2.69 times: wrap=False
roofline   6.42 times: this machine can move and compute as much in that time

Measure it again: python _npi_fill_diagonal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fill_diagonal",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_fill_diagonal/3c71be3d", profile="finding", in_place=("a",))
def slow():
    return dict(
        a=tensor((4096, 10), "float32", uniform(-1.0, 1.0)),
        val=(1.0,),
        wrap=True,
    )


@case("_npi_fill_diagonal/4920210c", profile="contrast", in_place=("a",))
def fast():
    return dict(
        a=tensor((4096, 10), "float32", uniform(-1.0, 1.0)),
        val=(1.0,),
        wrap=False,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.64, threads=1))
