"""_npi_fmod, backward, on MXNet 2.0.0b1: 21.2 times as slow as a neighbour that does equal work.

slow       12,030 us a call, where 463 us were expected
fast       463 us a call
step       rhs.shape[0] of 256
ratio      21.2 times, 95% interval 16.4 to 25.4, with 1 thread
family     rhs.shape[0] < 256
neighbour  26.0 times: rhs.shape[0] of 256 takes 4% of the time
roofline   321 times: this machine can move and compute as much in that time
forward    11.3 times: the forward pass of the same input

Measure it again: python _npi_fmod-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fmod",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_fmod/be9e9d9f", profile="finding")
def slow():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(0.1, 2.0)),
    )


@case("_npi_fmod/de252ff6", profile="contrast")
def fast():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((256, 256), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=4.61, threads=1))
