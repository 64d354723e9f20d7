"""softmin, backward, on MXNet 1.9.1: 10.5 times as slow as a neighbour that asks for as much work.

slow       1,067 us a call, where 101 us were expected
fast       101 us a call
step       float32
ratio      10.5 times, 95% interval 10.2 to 10.7, with 1 thread
family     dtype is float16
neighbour  10.6 times: float32 takes 9% of the time
model      10.3 times: half of 30 other inputs lie within a factor of 1.16 of it
roofline   54.3 times: this machine can move and compute as much in that time
kin        1.29 times: softmax of the same input

Is it still so? python softmin-1.py
It times both in turn, and exits with 1 while slow takes more than 3.24 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmin",
    category="activation",
    mxnet="1.9.1",
    seed=1,
)


@case("softmin/459f3e19", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("softmin/464cf01e", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=3.24, threads=1))
