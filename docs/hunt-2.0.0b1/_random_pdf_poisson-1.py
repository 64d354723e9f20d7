"""_random_pdf_poisson, forward, on MXNet 2.0.0b1: 2.41 times as slow as a neighbour that does equal work.

slow       107 us a call, where 43.4 us were expected
fast       43.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.41 times, 95% interval 2.34 to 2.51, with 1 thread
family     float16
also       backward, 2.51 times
neighbour  2.41 times: float32: as many elements, 2 times the bytes
roofline   8.91 times: this machine can move and compute as much in that time

Measure it again: python _random_pdf_poisson-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_pdf_poisson",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_random_pdf_poisson/f4d3c084", profile="finding")
def slow():
    return dict(
        sample=tensor((4, 256), "float16", integers(0, 4)),
        lam=tensor((4,), "float16", uniform(0.5, 4.0)),
    )


@case("_random_pdf_poisson/dcf09fa3", profile="contrast")
def fast():
    return dict(
        sample=tensor((4, 256), "float32", integers(0, 4)),
        lam=tensor((4,), "float32", uniform(0.5, 4.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.55, threads=1))
