"""_npi_log, backward, on MXNet 2.0.0b1: 2.38 times as slow as a neighbour that does equal work.

slow       153 us a call, where 66.3 us were expected
fast       66.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.38 times, 95% interval 2.29 to 2.46, with 1 thread
family     float16
also       forward, 1.92 times
neighbour  2.38 times: float32: as many elements, 2 times the bytes
roofline   12.6 times: this machine can move and compute as much in that time
forward    2.47 times: the forward pass of the same input

Measure it again: python _npi_log-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_log",
    category="exponential",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_log/c30f7afe", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_log/df50f3fa", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.54, threads=1))
