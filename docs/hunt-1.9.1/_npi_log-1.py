"""_npi_log, forward, on MXNet 1.9.1: 3.75 times as slow as a neighbour that does equal work.

slow       149 us a call, where 39.5 us were expected
fast       39.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.75 times, 95% interval 3.53 to 3.82, with 1 thread
family     float16
also       backward, 3.93 times
neighbour  3.75 times: float32: as many elements, 2 times the bytes
roofline   9.44 times: this machine can move and compute as much in that time

Measure it again: python _npi_log-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.94 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_log",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_log/a1484818", profile="finding")
def slow():
    return dict(
        x=tensor((8192,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_log/a2b44be6", profile="contrast")
def fast():
    return dict(
        x=tensor((8192,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.94, threads=1))
