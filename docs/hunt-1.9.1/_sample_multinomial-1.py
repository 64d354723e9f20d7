"""_sample_multinomial, forward, on MXNet 1.9.1: 5.54 times as slow as a neighbour that does equal work.

slow       160 us a call, where 27.9 us were expected
fast       27.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      5.54 times, 95% interval 5.30 to 5.77, with 1 thread
family     float16
neighbour  5.54 times: float64: as many elements, 4 times the bytes
roofline   10.1 times: this machine can move and compute as much in that time

Measure it again: python _sample_multinomial-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.35, threads=1))
