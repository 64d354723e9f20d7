"""_random_pdf_uniform, backward, on MXNet 1.9.1: 2.00 times as slow as a neighbour that does equal work.

slow       96.4 us a call, where 48.1 us were expected
fast       48.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.00 times, 95% interval 1.87 to 2.11, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.00 times: float64: as many elements, 4 times the bytes
roofline   6.24 times: this machine can move and compute as much in that time
forward    3.34 times: the forward pass of the same input

Measure it again: python _random_pdf_uniform-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_pdf_uniform",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_random_pdf_uniform/5adc651b", profile="finding")
def slow():
    return dict(
        sample=tensor((32, 8), "float16", uniform(0.0, 1.0)),
        low=tensor((32,), "float16", uniform(-2.0, 0.0)),
        high=tensor((32,), "float16", uniform(1.0, 3.0)),
    )


@case("_random_pdf_uniform/fce9d7b6", profile="contrast")
def fast():
    return dict(
        sample=tensor((32, 8), "float64", uniform(0.0, 1.0)),
        low=tensor((32,), "float64", uniform(-2.0, 0.0)),
        high=tensor((32,), "float64", uniform(1.0, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.41, threads=1))
