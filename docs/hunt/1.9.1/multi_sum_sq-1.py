"""multi_sum_sq, forward, on MXNet 1.9.1: 9.54 times as slow as a neighbour that asks for as much work.

slow       484 us a call, where 50.9 us were expected
fast       50.9 us a call
step       float32
ratio      9.54 times, 95% interval 9.43 to 9.66, with 1 thread
family     dtype is float16
neighbour  9.51 times: float32 takes 11% of the time
model      8.75 times: half of 39 other inputs lie within a factor of 1.19 of it
roofline   25.7 times: this machine can move and compute as much in that time

Is it still so? python multi_sum_sq-1.py
It times both in turn, and exits with 1 while slow takes more than 3.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="multi_sum_sq",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("multi_sum_sq/c4ef9ba6", profile="finding")
def slow():
    return dict(
        data=[tensor((21658,), "float16", uniform(-1.0, 1.0))],
        num_arrays=1,
    )


@case("multi_sum_sq/74006515", profile="contrast")
def fast():
    return dict(
        data=[tensor((21658,), "float32", uniform(-1.0, 1.0))],
        num_arrays=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.09, threads=1))
