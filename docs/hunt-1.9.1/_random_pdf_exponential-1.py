"""_random_pdf_exponential, backward, on MXNet 1.9.1: 2.29 times as slow as a neighbour that does equal work.

slow       103 us a call, where 45.0 us were expected
fast       45.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.29 times, 95% interval 2.22 to 2.34, with 1 thread
family     float16
also       forward, 2.10 times
neighbour  2.29 times: float64: as many elements, 4 times the bytes
roofline   6.68 times: this machine can move and compute as much in that time
forward    2.39 times: the forward pass of the same input

Measure it again: python _random_pdf_exponential-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_pdf_exponential",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_random_pdf_exponential/ef183b25", profile="finding")
def slow():
    return dict(
        sample=tensor((2, 256), "float16", uniform(0.1, 4.0)),
        lam=tensor((2,), "float16", uniform(0.5, 4.0)),
    )


@case("_random_pdf_exponential/e9617306", profile="contrast")
def fast():
    return dict(
        sample=tensor((2, 256), "float64", uniform(0.1, 4.0)),
        lam=tensor((2,), "float64", uniform(0.5, 4.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.51, threads=1))
