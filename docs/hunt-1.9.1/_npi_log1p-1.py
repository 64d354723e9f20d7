"""_npi_log1p, backward, on MXNet 1.9.1: 2.73 times as slow as a neighbour that does equal work.

slow       191 us a call, where 70.7 us were expected
fast       70.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.73 times, 95% interval 2.59 to 3.07, with 1 thread
family     float16
also       forward, 2.14 times
neighbour  2.73 times: float32: as many elements, 2 times the bytes
roofline   12.2 times: this machine can move and compute as much in that time
forward    1.94 times: the forward pass of the same input

Measure it again: python _npi_log1p-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.65 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_log1p",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_log1p/4b6c842d", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_log1p/e211657c", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.65, threads=1))
