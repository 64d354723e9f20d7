"""repeat, backward, on MXNet 2.0.0b1: 4.39 times as slow as a neighbour that does equal work.

slow       683 us a call, where 156 us were expected
fast       156 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.39 times, 95% interval 4.25 to 4.54, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.39 times: float32: as many elements, 2 times the bytes
roofline   55.0 times: this machine can move and compute as much in that time
forward    7.52 times: the forward pass of the same input

Measure it again: python repeat-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="repeat",
    category="expanding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("repeat/9a1ca387", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
        repeats=1,
    )


@case("repeat/97a0acae", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        repeats=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.09, threads=1))
