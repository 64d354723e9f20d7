"""_random_pdf_gamma, forward, on MXNet 1.9.1: 3.24 times as slow as a neighbour that does equal work.

slow       58.2 us a call, where 18.0 us were expected
fast       18.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.24 times, 95% interval 3.20 to 3.30, with 1 thread
family     float16
also       backward, 3.15 times
neighbour  3.24 times: float32: as many elements, 2 times the bytes
roofline   3.77 times: this machine can move and compute as much in that time

Measure it again: python _random_pdf_gamma-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_pdf_gamma",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_random_pdf_gamma/499ac662", profile="finding")
def slow():
    return dict(
        sample=tensor((40, 10), "float16", uniform(0.1, 4.0)),
        alpha=tensor((40,), "float16", uniform(0.5, 2.0)),
        beta=tensor((40,), "float16", uniform(0.5, 2.0)),
    )


@case("_random_pdf_gamma/2dd06222", profile="contrast")
def fast():
    return dict(
        sample=tensor((40, 10), "float32", uniform(0.1, 4.0)),
        alpha=tensor((40,), "float32", uniform(0.5, 2.0)),
        beta=tensor((40,), "float32", uniform(0.5, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.8, threads=1))
