"""_random_pdf_normal, backward, on MXNet 2.0.0b1: 1.95 times as slow as a neighbour that does equal work.

slow       143 us a call, where 63.0 us were expected
fast       63.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.95 times, 95% interval 1.87 to 2.03, with 1 thread
family     float16, and 254 elements or more
neighbour  1.95 times: float32: as many elements, 2 times the bytes
roofline   11.9 times: this machine can move and compute as much in that time
forward    1.79 times: the forward pass of the same input

Measure it again: python _random_pdf_normal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_pdf_normal",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_random_pdf_normal/237696fb", profile="finding")
def slow():
    return dict(
        sample=tensor((2, 128), "float16", uniform(-2.0, 4.0)),
        mu=tensor((2,), "float16", uniform(0.5, 4.0)),
        sigma=tensor((2,), "float16", uniform(0.5, 2.0)),
    )


@case("_random_pdf_normal/6144b77b", profile="contrast")
def fast():
    return dict(
        sample=tensor((2, 128), "float32", uniform(-2.0, 4.0)),
        mu=tensor((2,), "float32", uniform(0.5, 4.0)),
        sigma=tensor((2,), "float32", uniform(0.5, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.4, threads=1))
