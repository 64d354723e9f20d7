"""_npi_fmod, backward, on MXNet 2.0.0b1: 2.22 times as slow as a neighbour that does equal work.

slow       143 us a call, where 66.1 us were expected
fast       66.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.22 times, 95% interval 2.04 to 2.37, with 1 thread
family     this input; no family of it holds on fresh draws
also       forward, 2.43 times
neighbour  2.22 times: float32: as many elements, 2 times the bytes
roofline   11.9 times: this machine can move and compute as much in that time
forward    3.04 times: the forward pass of the same input

Measure it again: python _npi_fmod-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fmod",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_fmod/de007df4", profile="finding")
def slow():
    return dict(
        lhs=tensor((1,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((512,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_fmod/7d4a5672", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((512,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.49, threads=1))
