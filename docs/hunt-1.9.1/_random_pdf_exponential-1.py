"""_random_pdf_exponential, forward, on MXNet 1.9.1: 7.48 times as slow as a neighbour that does equal work.

slow       163 us a call, where 21.8 us were expected
fast       21.8 us a call
step       is_log=True
ratio      7.48 times, 95% interval 7.14 to 7.85, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.48 times: is_log=True
model      1.43 times: half of 32 other inputs lie within a factor of 1.39 of it
roofline   11.0 times: this machine can move and compute as much in that time

Measure it again: python _random_pdf_exponential-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_random_pdf_exponential",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_random_pdf_exponential/71171a25", profile="finding")
def slow():
    return dict(
        sample=tensor((129, 256), "float32", uniform(0.1, 4.0)),
        lam=tensor((129,), "float32", uniform(0.5, 4.0)),
        is_log=False,
    )


@case("_random_pdf_exponential/3a4d9144", profile="contrast")
def fast():
    return dict(
        sample=tensor((129, 256), "float32", uniform(0.1, 4.0)),
        lam=tensor((129,), "float32", uniform(0.5, 4.0)),
        is_log=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.73, threads=1))
