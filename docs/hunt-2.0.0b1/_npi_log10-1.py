"""_npi_log10, backward, on MXNet 2.0.0b1: 2.47 times as slow as a neighbour that does equal work.

slow       109 us a call, where 43.0 us were expected
fast       43.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.47 times, 95% interval 2.36 to 2.60, with 1 thread
family     float16
neighbour  2.47 times: float32: as many elements, 2 times the bytes
roofline   8.94 times: this machine can move and compute as much in that time

Measure it again: python _npi_log10-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_log10",
    category="exponential",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_log10/5ebb1519", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_log10/3f7347c1", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.57, threads=1))
