"""_npi_sum, forward, on MXNet 2.0.0b1: 5.69 times as slow as a neighbour that does equal work.

slow       216 us a call, where 37.7 us were expected
fast       37.7 us a call
step       axis=2
ratio      5.69 times, 95% interval 4.98 to 6.31, with 1 thread
family     this input; no family of it holds on fresh draws
also       backward, 2.77 times
neighbour  5.69 times: axis=2
roofline   16.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/070b8b30", profile="finding")
def slow():
    return dict(
        a=tensor((4, 64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("_npi_sum/4113fc7e", profile="contrast")
def fast():
    return dict(
        a=tensor((4, 64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(2,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.39, threads=1))
