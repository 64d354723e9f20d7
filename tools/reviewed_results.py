"""What a person found out about each result that differs: which is right, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Reviewed(NamedTuple):
    """The release whose result is right, or why both are, and the difference in words, with its source in MXNet.

    `plain`: it was reproduced by MXNet's front end alone.
    """

    right: str
    why: str
    plain: bool = False


_EPSILON = "changed on purpose: epsilon is added to the root, before it was added below the root (pull request 17400)"
_TORCH = "both by definition; PyTorch's is that of 2.0.0b1"
_CLIPPED = Reviewed(
    "both by definition",
    "changed on purpose: the gradient is clipped; in 1.9.1 its sum with the decay is (pull request 17400)",
)
_WHERE = Reviewed(
    "2.0.0b1, by PyTorch",
    "an error of 1.9.1: the gradient flows where the scalar was chosen, in place of where the tensor was",
    plain=True,
)
_TWICE = Reviewed("both, undefined", "the indices name elements twice, and threads write them in any order")
_GAMMA = "new in 2.0.0b1: samples have a gradient by the shape parameter; that of 1.9.1 is zero"

REVIEWED: Mapping[str, Mapping[str, Reviewed]] = {
    "releases": {
        "_contrib_group_adagrad_update": Reviewed(_TORCH, _EPSILON, plain=True),
        "_contrib_quantized_elemwise_add": Reviewed(
            "both, to float32's precision",
            "whole numbers of 32 bits are computed in float32, in another order",
            plain=True,
        ),
        "_image_flip_left_right": Reviewed(
            "2.0.0b1, by definition",
            "an error of 1.9.1: the middle of an odd number of columns, and of rows in flip_top_bottom, isn't written",
            plain=True,
        ),
        "_multi_mp_lamb_update": Reviewed(
            "2.0.0b1, by definition",
            "an error of 1.9.1: the norm is that of the float16 weights, in place of their float32 copies",
            plain=True,
        ),
        "_npi_gamma": Reviewed("2.0.0b1, by definition", _GAMMA, plain=True),
        "_npi_where": Reviewed(
            "1.9.1",
            "an error of 2.0.0b1, in mx.np.where: wrong where no input has the shape of the output",
            plain=True,
        ),
        "_npi_where_lscalar": _WHERE,
        "_npi_where_rscalar": _WHERE,
        "_sparse_adagrad_update": Reviewed(_TORCH, _EPSILON, plain=True),
        "adam_update": _CLIPPED._replace(plain=True),
        "ftml_update": _CLIPPED._replace(plain=True),
        "rmsprop_update": Reviewed(_TORCH, _EPSILON, plain=True),
        "rmspropalex_update": Reviewed(
            "1.9.1, by the documentation of both",
            "2.0.0b1 takes n for g and g for n, as its optimizer does; its documentation has the old order",
            plain=True,
        ),
    },
    "threads": dict.fromkeys(("_npx_index_update", "_scatter_set_nd", "scatter_nd"), _TWICE),
    "onednn": {},
}
"""By the comparison and the operator."""
