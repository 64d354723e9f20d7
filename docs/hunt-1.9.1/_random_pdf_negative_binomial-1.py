"""_random_pdf_negative_binomial, backward, on MXNet 1.9.1: 2.56 times as slow as a neighbour that does equal work.

slow       148 us a call, where 57.0 us were expected
fast       57.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.56 times, 95% interval 2.49 to 2.63, with 1 thread
family     float16
also       forward, 2.47 times
neighbour  2.56 times: float64: as many elements, 4 times the bytes
roofline   9.56 times: this machine can move and compute as much in that time
forward    2.12 times: the forward pass of the same input

Measure it again: python _random_pdf_negative_binomial-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_pdf_negative_binomial",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_random_pdf_negative_binomial/ee36f14b", profile="finding")
def slow():
    return dict(
        sample=tensor((8, 32), "float16", integers(0, 8)),
        k=tensor((8,), "float16", uniform(1.0, 10.0)),
        p=tensor((8,), "float16", uniform(0.25, 0.875)),
    )


@case("_random_pdf_negative_binomial/66b0a8df", profile="contrast")
def fast():
    return dict(
        sample=tensor((8, 32), "float64", integers(0, 8)),
        k=tensor((8,), "float64", uniform(1.0, 10.0)),
        p=tensor((8,), "float64", uniform(0.25, 0.875)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.6, threads=1))
