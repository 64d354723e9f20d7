"""_npi_fmod, backward, on MXNet 2.0.0b1: 4.21 times as slow as a neighbour that does equal work.

slow       403 us a call, where 95.9 us were expected
fast       95.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.21 times, 95% interval 4.08 to 4.32, with 1 thread
family     float16
also       forward, 1.91 times
neighbour  4.21 times: float32: as many elements, 2 times the bytes
roofline   33.0 times: this machine can move and compute as much in that time
forward    3.86 times: the forward pass of the same input

Measure it again: python _npi_fmod-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.05 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fmod",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_fmod/93cc91ee", profile="finding")
def slow():
    return dict(
        lhs=tensor((1,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((2048,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_fmod/bef6f842", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((2048,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.05, threads=1))
