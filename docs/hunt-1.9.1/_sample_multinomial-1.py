"""_sample_multinomial, forward, on MXNet 1.9.1: 4.99 times as slow as a neighbour that does equal work.

slow       154 us a call, where 32.0 us were expected
fast       32.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      4.99 times, 95% interval 4.61 to 5.50, with 1 thread
family     float16
neighbour  4.99 times: float64: as many elements, 4 times the bytes
model      1.54 times: half of 25 other inputs lie within a factor of 1.46 of it
roofline   12.9 times: this machine can move and compute as much in that time

Measure it again: python _sample_multinomial-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.23 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, probabilities, tensor

SUITE = Suite(
    format=1,
    operator="_sample_multinomial",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_sample_multinomial/fe5791e9", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", probabilities()),
    )


@case("_sample_multinomial/1730de41", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float64", probabilities()),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.23, threads=1))
