"""_npx_index_update, forward, on MXNet 2.0.0b1: 393 times as slow as a neighbour that does equal work.

slow       34,211 us a call, where 95.1 us were expected
fast       95.1 us a call
step       axes 0 and 2 exchanged
ratio      393 times, 95% interval 352 to 441, with 1 thread
family     ind.shape[0] >= 2 and ind.shape[1] >= 2 and a.shape[0] < 32,768 and a.shape[2] > 1
neighbour  360 times: axes 0 and 2 exchanged takes 0% of the time
roofline   601 times: this machine can move and compute as much in that time

Measure it again: python _npx_index_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 19.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npx_index_update",
    category="indexing",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npx_index_update/47738539", profile="finding")
def slow():
    return dict(
        a=tensor((1, 1, 32768, 8), "float16", uniform(-1.0, 1.0)),
        ind=tensor((2, 2), "int64", integers(0, 1)),
        val=tensor((2, 1, 1), "float16", uniform(-1.0, 1.0)),
    )


@case("_npx_index_update/018474f5", profile="contrast")
def fast():
    return dict(
        a=tensor((32768, 1, 1, 8), "float16", uniform(-1.0, 1.0)),
        ind=tensor((2, 2), "int64", integers(0, 1)),
        val=tensor((2, 1, 1), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=19.8, threads=1))
