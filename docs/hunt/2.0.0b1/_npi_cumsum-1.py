"""_npi_cumsum, backward, on MXNet 2.0.0b1: 3.40 times as slow as a neighbour that does equal work.

slow       1,237 us a call, where 367 us were expected
fast       367 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.40 times, 95% interval 3.21 to 3.51, with 1 thread
family     float16, and 3,637 elements or more
also       forward, 4.27 times
neighbour  3.40 times: float32: as many elements, 2 times the bytes
model      5.33 times: half of 35 other inputs lie within a factor of 1.26 of it
roofline   80.8 times: this machine can move and compute as much in that time

Measure it again: python _npi_cumsum-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_cumsum",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_cumsum/e50f9f44", profile="finding")
def slow():
    return dict(
        a=tensor((65536,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_cumsum/a37670b3", profile="contrast")
def fast():
    return dict(
        a=tensor((65536,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.84, threads=1))
