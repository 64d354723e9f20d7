"""_random_pdf_exponential, forward, on MXNet 2.0.0b1: 2.90 times as slow as a neighbour that does equal work.

slow       87.7 us a call, where 30.1 us were expected
fast       30.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.90 times, 95% interval 2.72 to 2.94, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 5.75 times
neighbour  2.90 times: float32: as many elements, 2 times the bytes
roofline   7.18 times: this machine can move and compute as much in that time

Measure it again: python _random_pdf_exponential-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.7 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_pdf_exponential",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_random_pdf_exponential/32534c58", profile="finding")
def slow():
    return dict(
        sample=tensor((16, 256), "float16", uniform(0.1, 4.0)),
        lam=tensor((16,), "float16", uniform(0.5, 4.0)),
    )


@case("_random_pdf_exponential/45bd43af", profile="contrast")
def fast():
    return dict(
        sample=tensor((16, 256), "float32", uniform(0.1, 4.0)),
        lam=tensor((16,), "float32", uniform(0.5, 4.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.7, threads=1))
