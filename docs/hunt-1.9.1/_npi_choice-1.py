"""_npi_choice, forward, on MXNet 1.9.1: 3.41 times as slow as a neighbour that does equal work.

slow       111 us a call, where 30.0 us were expected
fast       30.0 us a call
step       replace=True
ratio      3.41 times, 95% interval 2.79 to 4.14, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.41 times: replace=True
roofline   7.18 times: this machine can move and compute as much in that time

Measure it again: python _npi_choice-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.85 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, probabilities, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_choice",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_choice/1af02927", profile="finding")
def slow():
    return dict(
        input1=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        input2=tensor((1,), "float32", probabilities()),
        a=None,
        replace=False,
        size=(1,),
        weighted=True,
    )


@case("_npi_choice/57603010", profile="contrast")
def fast():
    return dict(
        input1=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        input2=tensor((1,), "float32", probabilities()),
        a=None,
        replace=True,
        size=(1,),
        weighted=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.85, threads=1))
