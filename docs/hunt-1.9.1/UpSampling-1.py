"""UpSampling, backward, on MXNet 1.9.1: 4.27 times as slow as a neighbour that does equal work.

slow       279 us a call, where 67.5 us were expected
fast       67.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.27 times, 95% interval 4.03 to 4.53, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.27 times: float32: as many elements, 2 times the bytes
roofline   17.6 times: this machine can move and compute as much in that time
forward    4.53 times: the forward pass of the same input

Measure it again: python UpSampling-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.07 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="UpSampling",
    category="pooling",
    mxnet="1.9.1",
    seed=0,
)


@case("UpSampling/da527adc", profile="finding")
def slow():
    return dict(
        data=[tensor((1, 4, 32, 32), "float16", uniform(-1.0, 1.0))],
        num_args=1,
        sample_type="nearest",
        scale=2,
    )


@case("UpSampling/73bd1e15", profile="contrast")
def fast():
    return dict(
        data=[tensor((1, 4, 32, 32), "float32", uniform(-1.0, 1.0))],
        num_args=1,
        sample_type="nearest",
        scale=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.07, threads=1))
