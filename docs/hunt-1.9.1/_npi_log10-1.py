"""_npi_log10, backward, on MXNet 1.9.1: 1.99 times as slow as a neighbour that does equal work.

slow       114 us a call, where 60.5 us were expected
fast       60.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.99 times, 95% interval 1.89 to 2.11, with 1 thread
family     float16, and 2,047 elements or more
also       forward, 1.95 times
neighbour  1.99 times: float32: as many elements, 2 times the bytes
roofline   7.34 times: this machine can move and compute as much in that time
forward    1.27 times: the forward pass of the same input

Measure it again: python _npi_log10-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_log10",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_log10/8900078d", profile="finding")
def slow():
    return dict(
        x=tensor((2048,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_log10/ad104f09", profile="contrast")
def fast():
    return dict(
        x=tensor((2048,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.41, threads=1))
