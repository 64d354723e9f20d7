"""_sample_multinomial, forward, on MXNet 2.0.0b1: 3.47 times as slow as a neighbour that does equal work.

slow       113 us a call, where 33.2 us were expected
fast       33.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.47 times, 95% interval 3.32 to 3.64, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.47 times: float32: as many elements, 2 times the bytes
roofline   9.39 times: this machine can move and compute as much in that time

Measure it again: python _sample_multinomial-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, probabilities, tensor

SUITE = Suite(
    format=1,
    operator="_sample_multinomial",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_sample_multinomial/8f138cba", profile="finding")
def slow():
    return dict(
        n=tensor((7,), "float16", integers(1, 11)),
        p=tensor((7, 64), "float16", probabilities()),
        shape=(2,),
    )


@case("_sample_multinomial/942d0df6", profile="contrast")
def fast():
    return dict(
        n=tensor((7,), "float32", integers(1, 11)),
        p=tensor((7, 64), "float32", probabilities()),
        shape=(2,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.86, threads=1))
