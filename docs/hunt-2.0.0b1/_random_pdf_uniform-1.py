"""_random_pdf_uniform, backward, on MXNet 2.0.0b1: 3.01 times as slow as a neighbour that does equal work.

slow       216 us a call, where 75.1 us were expected
fast       75.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.01 times, 95% interval 2.85 to 3.16, with 1 thread
family     float16
neighbour  3.01 times: float32: as many elements, 2 times the bytes
roofline   17.9 times: this machine can move and compute as much in that time
forward    6.46 times: the forward pass of the same input

Measure it again: python _random_pdf_uniform-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_pdf_uniform",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_random_pdf_uniform/7cc14bac", profile="finding")
def slow():
    return dict(
        sample=tensor((4, 256), "float16", uniform(0.0, 1.0)),
        low=tensor((4,), "float16", uniform(-2.0, 0.0)),
        high=tensor((4,), "float16", uniform(1.0, 3.0)),
    )


@case("_random_pdf_uniform/44b35e36", profile="contrast")
def fast():
    return dict(
        sample=tensor((4, 256), "float32", uniform(0.0, 1.0)),
        low=tensor((4,), "float32", uniform(-2.0, 0.0)),
        high=tensor((4,), "float32", uniform(1.0, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.74, threads=1))
