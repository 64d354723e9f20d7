"""_npi_ediff1d, backward, on MXNet 2.0.0b1: 3.84 times as slow as a neighbour that does equal work.

slow       395 us a call, where 103 us were expected
fast       103 us a call
step       float32
ratio      3.84 times, 95% interval 3.79 to 3.89, with 1 thread
family     to_begin_arr_given=True and dtype is float16
neighbour  3.83 times: float32 takes 26% of the time
model      4.33 times: half of 32 other inputs lie within a factor of 1.09 of it
roofline   17.3 times: this machine can move and compute as much in that time

Measure it again: python _npi_ediff1d-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ediff1d",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_ediff1d/f2a718a5", profile="finding")
def slow():
    return dict(
        input1=tensor((32768,), "float16", uniform(-1.0, 1.0)),
        input2=tensor((1,), "float16", uniform(-1.0, 1.0)),
        to_begin_arr_given=True,
    )


@case("_npi_ediff1d/f2a545af", profile="contrast")
def fast():
    return dict(
        input1=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        input2=tensor((1,), "float32", uniform(-1.0, 1.0)),
        to_begin_arr_given=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.96, threads=1))
