"""Public functions of MXNet's Python front end whose names differ from those of the operators that they call.

Most functions of `mx.nd`, `mx.np`, `mx.npx` and `mx.sym` are generated from the registry and need no entry. These are
written in Python. The tables follow the front ends of 1.9.1 and 2.0.0b1; tests call the functions.
"""

from __future__ import annotations

from collections.abc import Iterable

from autoperf.registry.meanings import Meaning, Meanings, Means, NoOperator

TENSORS = "two tensors"

# Operators that a function of mx.nd calls for two tensors, a tensor and a number, and a number and a tensor.
_DISPATCHED = {
    "add": ("broadcast_add", "_plus_scalar", ""),
    "subtract": ("broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "multiply": ("broadcast_mul", "_mul_scalar", ""),
    "divide": ("broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "true_divide": ("broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "modulo": ("broadcast_mod", "_mod_scalar", "_rmod_scalar"),
    "power": ("broadcast_power", "_power_scalar", "_rpower_scalar"),
    "maximum": ("broadcast_maximum", "_maximum_scalar", ""),
    "minimum": ("broadcast_minimum", "_minimum_scalar", ""),
    "equal": ("broadcast_equal", "_equal_scalar", ""),
    "not_equal": ("broadcast_not_equal", "_not_equal_scalar", ""),
    "greater": ("broadcast_greater", "_greater_scalar", "_lesser_scalar"),
    "greater_equal": ("broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar"),
    "lesser": ("broadcast_lesser", "_lesser_scalar", "_greater_scalar"),
    "lesser_equal": ("broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar"),
    "logical_and": ("broadcast_logical_and", "_logical_and_scalar", ""),
    "logical_or": ("broadcast_logical_or", "_logical_or_scalar", ""),
    "logical_xor": ("broadcast_logical_xor", "_logical_xor_scalar", ""),
}
# These do not broadcast symbols.
_ELEMENTWISE = {
    "maximum": ("_maximum", "_maximum_scalar", ""),
    "minimum": ("_minimum", "_minimum_scalar", ""),
    "hypot": ("_hypot", "_hypot_scalar", ""),
    "power": ("_power", "_power_scalar", "_rpower_scalar"),
    "pow": ("_power", "_power_scalar", "_rpower_scalar"),
}
_SPARSE = {"add": "elemwise_add", "subtract": "elemwise_sub", "multiply": "elemwise_mul", "divide": "elemwise_div"}
_DISTRIBUTIONS = (
    *("exponential", "gamma", "generalized_negative_binomial", "negative_binomial", "normal", "poisson", "uniform"),
    "binomial",
)
_CREATION = ("arange", "eye", "full", "histogram", "linspace", "ones", "split_v2", "zeros")
_UPDATES = (
    *(f"{prefix}{kind}_update" for prefix in ("", "mp_", "multi_", "multi_mp_") for kind in ("adamw", "adabelief")),
    *(f"{prefix}{kind}_update" for prefix in ("multi_", "multi_mp_") for kind in ("lamb", "lans")),
)

# Operators of functions that only have another name, those of 1.x first.
_SPELLINGS = {
    "np.abs": ("_npi_absolute", "_npi_abs"),
    "np.acos": ("_npi_arccos",),
    "np.acosh": ("_npi_arccosh",),
    "np.append": ("_npi_concatenate",),
    "np.array_split": ("_npi_split", "_npi_array_split"),
    "np.asin": ("_npi_arcsin",),
    "np.asinh": ("_npi_arcsinh",),
    "np.atan": ("_npi_arctan",),
    "np.atan2": ("_npi_arctan2",),
    "np.atanh": ("_npi_arctanh",),
    "np.bitwise_invert": ("_npi_bitwise_not",),
    "np.concat": ("_npi_concatenate",),
    "np.deg2rad": ("_npi_deg2rad", "_npi_radians"),
    "np.divide": ("_npi_true_divide",),
    "np.dsplit": ("_npi_split",),
    "np.fabs": ("_npi_absolute",),
    "np.fliplr": ("_npi_flip",),
    "np.flipud": ("_npi_flip",),
    "np.inner": ("_npi_tensordot",),
    "np.invert": ("_npi_bitwise_not",),
    "np.may_share_memory": ("_npi_share_memory",),
    "np.median": ("_npi_percentile",),
    "np.ones_like": ("_npi_full_like",),
    "np.permute_dims": ("_np_transpose", "_npi_transpose"),
    "np.positive": ("_np_copy", "_npi_copy"),
    "np.pow": ("_npi_power",),
    "np.quantile": ("_npi_percentile",),
    "np.rad2deg": ("_npi_rad2deg", "_npi_degrees"),
    "np.ravel": ("_npx_reshape", "_np_reshape"),
    "np.remainder": ("_npi_mod",),
    "np.repeat": ("_np_repeat", "_npi_repeats"),
    "np.round": ("_npi_around",),
    "np.round_": ("_npi_around",),
    "np.row_stack": ("_npi_vstack",),
    "np.shares_memory": ("_npi_share_memory",),
    "np.unique_all": ("_npi_unique",),
    "np.unique_inverse": ("_npi_unique",),
    "np.unique_values": ("_npi_unique",),
    "np.vsplit": ("_npi_split",),
    "np.zeros_like": ("_npi_full_like",),
    "np.linalg.diagonal": ("_npi_diag",),
    "np.linalg.matrix_norm": ("_npi_norm",),
    "np.linalg.matrix_transpose": ("SwapAxis",),
    "np.linalg.svdvals": ("_npi_svd",),
    "np.linalg.vector_norm": ("_npi_norm",),
    "np.random.power": ("_npi_powerd",),
    "np.random.rand": ("_npi_uniform",),
    "np.random.randn": ("_npi_normal",),
    "npx.random.categorical": ("_sample_categorical",),
    "nd.moveaxis": ("transpose",),
    "nd.onehot_encode": ("_onehot_encode",),
    "nd.imdecode": ("_imdecode",),
}

_TENSORDOT = Means(("_npi_tensordot",), "axes that are named", "for a number of axes it is _npi_tensordot_int_axes")
_BY_INPUTS: dict[str, Meaning] = {
    "np.tensordot": _TENSORDOT,
    "np.linalg.tensordot": _TENSORDOT,
    "np.linalg.pinv": Means(("_npi_pinv",), "a tensor as rcond", "for a number it is _npi_pinv_scalar_rcond"),
    "np.where": Means(("_npi_where",), "two tensors to choose from", "with a condition alone it calls _npx_nonzero"),
    "nd.contrib.isnan": Means(("broadcast_not_equal",), "a tensor beside itself"),
    "np.insert": NoOperator(
        "which one it calls depends on what says where to insert",
        ("_npi_insert_scalar", "_npi_insert_slice", "_npi_insert_tensor"),
    ),
}

# Functions that call several operators.
_COMPOSED = {
    "nd.contrib.isfinite": ("abs", "broadcast_equal", "_not_equal_scalar", "broadcast_logical_and"),
    "nd.contrib.isinf": ("abs", "_equal_scalar"),
    "nd.contrib.rand_zipfian": ("_random_uniform",),
    "nd.concatenate": ("concat", "_slice_assign"),
    "np.broadcast_arrays": ("_npi_broadcast_to",),
    "np.meshgrid": ("_npx_reshape", "_np_reshape", "_npi_broadcast_to"),
    "np.outer": ("_npi_tensordot_int_axes", "_npx_reshape", "_np_reshape"),
    "np.vdot": ("_npi_tensordot_int_axes", "_npx_reshape", "_np_reshape"),
    "np.linalg.outer": ("_npi_tensordot_int_axes", "_npx_reshape"),
    "np.linalg.vecdot": ("_npi_tensordot",),
    "np.flatnonzero": ("_npx_nonzero", "_npx_reshape"),
    "np.triu_indices": ("_npi_tri", "_npx_nonzero"),
    "np.triu_indices_from": ("_npi_tri", "_npx_nonzero"),
    "np.random.beta": ("_npi_gamma", "_npi_add", "_npi_true_divide"),
    "np.random.chisquare": ("_npi_gamma", "_npi_true_divide_scalar"),
    "np.random.f": ("_npi_gamma", "_npi_multiply", "_npi_true_divide"),
    "np.random.lognormal": ("_npi_normal", "_npi_exp"),
    "npx.image.color_normalize": ("_npi_subtract", "_npi_true_divide"),
}
# Functions that only copy data between Python and MXNet, or allocate an array.
_NO_CALL = (
    *("nd.array", "nd.empty", "nd.load", "nd.save", "nd.waitall", "nd.from_numpy", "nd.from_dlpack"),
    *("np.array", "np.empty", "np.empty_like", "np.shape", "npx.load", "npx.save", "npx.waitall"),
    *("nd.sparse.array", "nd.sparse.empty"),
)
# Functions of mx.np that NumPy computes.
_IN_NUMPY = (
    *("argwhere", "corrcoef", "cov", "divmod", "extract", "float_power", "frexp", "heaviside", "histogram_bin_edges"),
    *("histogramdd", "i0", "in1d", "intersect1d", "isclose", "isin", "lexsort", "modf", "msort", "nancumprod"),
    *("nancumsum", "nanpercentile", "poly", "polyadd", "polysub", "real", "setdiff1d", "setxor1d", "signbit"),
    *(
        "spacing",
        "trapz",
        "tril_indices_from",
        "union1d",
        "unwrap",
        "allclose",
        "alltrue",
        "array_equal",
        "array_equiv",
    ),
    *(
        "count_nonzero",
        "nanargmax",
        "nanargmin",
        "nanmax",
        "nanmedian",
        "nanmin",
        "nanprod",
        "nanstd",
        "nansum",
        "nanvar",
    ),
    *("ptp", "linalg.cond", "random.multivariate_normal"),
)


def _dispatched_functions(space: str, functions: dict[str, tuple[str, str, str]]) -> Iterable[tuple[str, Meaning]]:
    for name, (tensors, scalar, reflected) in functions.items():
        numbers = f"{scalar} or {reflected}" if reflected else scalar
        yield f"{space}.{name}", Means((tensors,), TENSORS, f"for a number it is {numbers}")


def _sparse_functions() -> Iterable[tuple[str, Meaning]]:
    for name, elementwise in _SPARSE.items():
        broadcast, scalar, _ = _DISPATCHED[name]
        otherwise = f"for tensors of two shapes it is {broadcast}, for a number {scalar}"
        yield f"nd.sparse.{name}", Means((elementwise,), "two tensors of one shape", otherwise)


def _random_functions(root: str) -> Iterable[tuple[str, Meaning]]:
    for name in _DISTRIBUTIONS:
        otherwise = f"for tensors it is _sample_{name}"
        yield f"{root}.random.{name}", Means((f"_random_{name}",), "parameters that are numbers", otherwise)
    yield f"{root}.random.randn", Means(("_random_normal",))
    yield f"{root}.random.shuffle", Means(("_shuffle",))
    yield f"{root}.contrib.uniform", Means(("_random_uniform",), "numbers", "for tensors it is _sample_uniform")


def _table() -> Iterable[tuple[str, Meaning]]:
    yield from _dispatched_functions("nd", _DISPATCHED)
    yield from _dispatched_functions("sym", _ELEMENTWISE)
    yield from _sparse_functions()
    for root in ("nd", "sym"):
        yield from _random_functions(root)
        yield from ((f"{root}.{name}", Means((f"_{name}",))) for name in _CREATION)
        yield from ((f"{root}.contrib.{name}", Means((f"_{name}",))) for name in _UPDATES)
        for name in ("cond", "foreach", "while_loop"):
            why = "it runs the graph that Python functions make"
            yield f"{root}.contrib.{name}", NoOperator(why, (f"_{name}",))
    yield "nd.sparse.zeros", Means(("_zeros",))
    for name in ("csr_matrix", "row_sparse_array"):
        why = "it copies data from Python, and what is dense by cast_storage"
        yield f"nd.sparse.{name}", NoOperator(why, ("cast_storage",))
    yield from ((path, Means(names)) for path, names in _SPELLINGS.items())
    yield from _BY_INPUTS.items()
    yield from ((path, NoOperator(f"it calls {' and '.join(names)}", names)) for path, names in _COMPOSED.items())
    yield from ((path, NoOperator("it computes nothing in MXNet")) for path in _NO_CALL)
    yield from ((f"np.{name}", NoOperator("it is computed by NumPy, not by MXNet")) for name in _IN_NUMPY)


FRONT_END: Meanings = dict(_table())
