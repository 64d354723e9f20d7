"""_npi_uniform, forward, on MXNet 1.9.1: 4.09 times as slow as a neighbour that does equal work.

slow       136 us a call, where 33.3 us were expected
fast       33.3 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.09 times, 95% interval 3.91 to 4.17, with 1 thread
family     float16, and the last dimension of input1 is at most 32,801
neighbour  4.09 times: int32: as many elements, 2 times the bytes
roofline   8.76 times: this machine can move and compute as much in that time

Measure it again: python _npi_uniform-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.02 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_uniform",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_uniform/94a0c788", profile="finding")
def slow():
    return dict(
        input1=tensor((1,), "float16", uniform(-2.0, 0.0)),
        input2=tensor((2048,), "float16", uniform(1.0, 3.0)),
        high=None,
        low=None,
    )


@case("_npi_uniform/ae772759", profile="contrast")
def fast():
    return dict(
        input1=tensor((1,), "int32", uniform(-2.0, 0.0)),
        input2=tensor((2048,), "int32", uniform(1.0, 3.0)),
        high=None,
        low=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.02, threads=1))
