"""_npi_pad, forward, on MXNet 1.9.1: 5.14 times as slow as a neighbour that does equal work.

slow       138 us a call, where 26.9 us were expected
fast       26.9 us a call
step       mode=constant
ratio      5.14 times, 95% interval 5.09 to 5.21, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  5.14 times: mode=constant
roofline   8.85 times: this machine can move and compute as much in that time

Measure it again: python _npi_pad-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.27 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_pad",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_pad/fef030fa", profile="finding")
def slow():
    return dict(
        data=tensor((8, 256), "float16", uniform(-1.0, 1.0)),
        mode="maximum",
        pad_width=((1, 1), (1, 1)),
    )


@case("_npi_pad/e56c057c", profile="contrast")
def fast():
    return dict(
        data=tensor((8, 256), "float16", uniform(-1.0, 1.0)),
        mode="constant",
        pad_width=((1, 1), (1, 1)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.27, threads=1))
