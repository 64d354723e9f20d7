"""Public functions of MXNet's Python front end that call operators of other names.

Most functions of `mx.nd`, `mx.np`, `mx.npx` and `mx.sym` are generated from the registry and need no entry. These are
written in Python. The tables follow the front ends of 1.9.1 and 2.0.0b1, and benches/front_end_names.py compares
them with what the functions call there (docs/reference/names.md).
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from autoperf.core.errors import UsageError
from autoperf.registry.names import BySeries, Meaning, Meanings, Means, NoOperator, OtherInputs, meaning_of
from autoperf.rules.operators.creation import number_kind, spelled_number


def _several(*names: str) -> NoOperator:
    return NoOperator("", names)


def _either(operator: str, inputs: str, others: str, *instead: str) -> Means:
    return Means((operator,), inputs, (OtherInputs(others, instead),))


_TENSORS, _NUMBER = "two tensors", "a number"
_IN_GRAPHS = "it calls the Python functions that it is given; in a graph it is an operator"
_NO_CALL = NoOperator("it computes nothing in MXNet")
_IN_NUMPY = NoOperator("it is computed by NumPy, not by MXNet", unless_registered=True)

# Operators that a function calls for two tensors, a tensor and a number, and a number and a tensor if that is another.
_DISPATCHED = {
    "add": ("broadcast_add", "_plus_scalar", ""),
    "subtract": ("broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "multiply": ("broadcast_mul", "_mul_scalar", ""),
    "divide": ("broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "true_divide": ("broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "modulo": ("broadcast_mod", "_mod_scalar", "_rmod_scalar"),
    "power": ("broadcast_power", "_power_scalar", "_rpower_scalar"),
    "greater": ("broadcast_greater", "_greater_scalar", "_lesser_scalar"),
    "greater_equal": ("broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar"),
    "lesser": ("broadcast_lesser", "_lesser_scalar", "_greater_scalar"),
    "lesser_equal": ("broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar"),
    **{
        name: (f"broadcast_{name}", f"_{name}_scalar", "")
        for name in ("maximum", "minimum", "equal", "not_equal", "logical_and", "logical_or", "logical_xor")
    },
}
# These do not broadcast symbols.
_ELEMENTWISE = {
    "maximum": ("_maximum", "_maximum_scalar", ""),
    "minimum": ("_minimum", "_minimum_scalar", ""),
    "hypot": ("_hypot", "_hypot_scalar", ""),
    "power": ("_power", "_power_scalar", "_rpower_scalar"),
    "pow": ("_power", "_power_scalar", "_rpower_scalar"),
}
# The functions of mx.np by their operators for a number: one for either side, or another for the left.
_NP_EITHER = (
    *("add", "bitwise_and", "bitwise_or", "bitwise_xor", "equal", "fmax", "fmin", "gcd", "lcm", "logaddexp"),
    *("hypot", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "not_equal"),
)
_NP_SIDES = (
    *("arctan2", "copysign", "floor_divide", "fmod", "ldexp", "mod", "power", "subtract", "true_divide"),
    *("bitwise_left_shift", "bitwise_right_shift"),
)
_NP_DISPATCHED = {
    **{name: (f"_npi_{name}", f"_npi_{name}_scalar", "") for name in _NP_EITHER},
    **{name: (f"_npi_{name}", f"_npi_{name}_scalar", f"_npi_r{name}_scalar") for name in _NP_SIDES},
    "atan2": ("_npi_arctan2", "_npi_arctan2_scalar", "_npi_rarctan2_scalar"),
    "divide": ("_npi_true_divide", "_npi_true_divide_scalar", "_npi_rtrue_divide_scalar"),
    "greater": ("_npi_greater", "_npi_greater_scalar", "_npi_less_scalar"),
    "greater_equal": ("_npi_greater_equal", "_npi_greater_equal_scalar", "_npi_less_equal_scalar"),
    "less": ("_npi_less", "_npi_less_scalar", "_npi_greater_scalar"),
    "less_equal": ("_npi_less_equal", "_npi_less_equal_scalar", "_npi_greater_equal_scalar"),
    "pow": ("_npi_power", "_npi_power_scalar", "_npi_rpower_scalar"),
    "remainder": ("_npi_mod", "_npi_mod_scalar", "_npi_rmod_scalar"),
}
_SPARSE = {"add": "elemwise_add", "subtract": "elemwise_sub", "multiply": "elemwise_mul", "divide": "elemwise_div"}
_DISTRIBUTIONS = (
    *("binomial", "gamma", "generalized_negative_binomial", "negative_binomial", "normal", "poisson", "uniform"),
)
_CREATION = ("arange", "eye", "full", "histogram", "linspace", "ones", "split_v2", "zeros")
_UPDATES = (
    *(f"{prefix}{kind}_update" for prefix in ("", "mp_", "multi_", "multi_mp_") for kind in ("adamw", "adabelief")),
    *(f"{prefix}{kind}_update" for prefix in ("multi_", "multi_mp_") for kind in ("lamb", "lans")),
)

# Functions that call one operator of another name, as FUNCTION=OPERATOR; operators of 1.x come first.
_SPELLINGS = """
    np.abs=_npi_absolute,_npi_abs np.acos=_npi_arccos np.acosh=_npi_arccosh np.append=_npi_concatenate
    np.array_split=_npi_split,_npi_array_split np.asin=_npi_arcsin np.asinh=_npi_arcsinh np.atan=_npi_arctan
    np.atanh=_npi_arctanh np.bitwise_invert=_npi_bitwise_not np.concat=_npi_concatenate np.dsplit=_npi_split
    np.fabs=_npi_absolute np.fliplr=_npi_flip np.flipud=_npi_flip np.inner=_npi_tensordot np.invert=_npi_bitwise_not
    np.may_share_memory=_npi_share_memory np.median=_npi_percentile np.ones_like=_npi_full_like
    np.permute_dims=_np_transpose,_npi_transpose np.ravel=_npx_reshape,_np_reshape np.repeat=_np_repeat,_npi_repeats
    np.round=_npi_around np.round_=_npi_around np.row_stack=_npi_vstack np.shares_memory=_npi_share_memory
    np.unique_all=_npi_unique np.unique_inverse=_npi_unique np.unique_values=_npi_unique np.vsplit=_npi_split
    np.zeros_like=_npi_full_like np.linalg.diagonal=_npi_diag np.linalg.matrix_norm=_npi_norm
    np.linalg.matrix_transpose=SwapAxis np.linalg.svdvals=_npi_svd np.random.power=_npi_powerd
    np.random.rand=_npi_uniform np.random.randn=_npi_normal npx.random.categorical=_sample_categorical
    npx.random.multinomial=_sample_multinomial npx.image.copyMakeBorder=_cvcopyMakeBorder
    npx.image.imdecode=_cvimdecode npx.image.imread=_cvimread npx.image.imresize=_cvimresize
    np.random.randint=_npi_random_randint npx.random.bernoulli=_npi_bernoulli
    nd.random.categorical=_sample_categorical sym.random.categorical=_sample_categorical
    nd.random.multinomial=_sample_multinomial sym.random.multinomial=_sample_multinomial
    nd.random.randint=_random_randint sym.random.randint=_random_randint
    npx.image.resize_short=_cvimresize sym.np.deg2rad=_npi_deg2rad sym.np.dsplit=_npi_dsplit
    sym.np.rad2deg=_npi_rad2deg nd.moveaxis=transpose nd.onehot_encode=_onehot_encode nd.imdecode=_imdecode
"""

# Functions with the names of their operators, which are registered as _npi_NAME, and in 1.x partly as _np_NAME. Of
# most others that look like it, such as _npi_slice, there is no function.
_OF_NUMPY = """
    absolute all amax amin any arange arccos arccosh arcsin arcsinh arctan arctanh argmax argmin argsort around
    atleast_1d atleast_2d atleast_3d average bincount bitwise_not blackman broadcast_to cbrt ceil clip column_stack
    concatenate copy cos cosh cross cumsum degrees delete diag diag_indices_from diagflat diagonal diff dot dstack
    ediff1d einsum exp expand_dims expm1 eye fill_diagonal fix flip floor full full_like hamming hanning histogram
    hsplit hstack identity indices isfinite isinf isnan isneginf isposinf kron linspace log log10 log1p log2
    logical_not logspace matmul max mean min moveaxis nan_to_num negative ones pad percentile polyval prod radians
    reciprocal rint roll rot90 sign sin sinh sort split sqrt square squeeze stack std sum swapaxes tan tanh tile trace
    transpose tri tril tril_indices triu trunc unique var vstack zeros
    linalg.cholesky linalg.cross linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.norm
    linalg.slogdet linalg.solve linalg.svd linalg.tensorinv linalg.tensorsolve linalg.trace
    random.exponential random.gamma random.gumbel random.laplace random.logistic random.multinomial random.normal
    random.pareto random.rayleigh random.shuffle random.uniform random.weibull
"""

_TENSORDOT = _either("_npi_tensordot", "axes that are named", "a number of axes", "_npi_tensordot_int_axes")
_COPIED = "it copies data from Python, and a tensor row by row"
_OUTER = ("_npi_tensordot_int_axes",)
_TRIU = ("_npi_tri", "_npi_bitwise_not", "_npx_nonzero", "_npi_transpose")
_TRANSPOSE = ("_np_transpose", "_npi_transpose")
_CROP = _either("slice", "a part of the image", "one that is resized", "slice", "_cvimresize")
# Functions whose operators depend on their inputs or on the series of the release, and those that are used in part.
_BY_INPUTS_OR_SERIES: dict[str, Meaning | BySeries] = {
    "np.tensordot": _TENSORDOT,
    "np.linalg.tensordot": _TENSORDOT,
    "np.linalg.pinv": _either("_npi_pinv", "a tensor as rcond", "a number", "_npi_pinv_scalar_rcond"),
    "np.linalg.matrix_rank": BySeries(
        _IN_NUMPY, _either("_npi_matrix_rank", "a tensor as tol", "none", "_npi_matrix_rank_none_tol")
    ),
    "np.linalg.vector_norm": _either("_npi_norm", "an axis", "none", "_npx_reshape", "_npi_norm"),
    "np.where": _either("_npi_where", "two tensors to choose from", "a condition alone", "_npx_nonzero", *_TRANSPOSE),
    "np.take": _either("take", "an axis", "none", "_npx_reshape", "take"),
    "np.random.choice": _either("_npi_choice", "a number", "a tensor", "_npi_choice", "take"),
    "np.nonzero": Means(("_npx_nonzero",), also=_TRANSPOSE),
    "np.quantile": _either("_npi_percentile", "a number as q", "a tensor", "_npi_multiply_scalar", "_npi_percentile"),
    "sym.np.full": Means(("_full", "_npi_full"), "a number", (OtherInputs("a tensor", ("_npi_broadcast_to",)),)),
    "np.deg2rad": BySeries(Means(("_npi_deg2rad",)), Means(("_npi_radians",))),
    "np.rad2deg": BySeries(Means(("_npi_rad2deg",)), Means(("_npi_degrees",))),
    "np.reshape": BySeries(Means(("_np_reshape",)), Means(("_npx_reshape",))),
    "npx.random.normal_n": BySeries(Means(("_npi_normal_n",)), Means(("_npi_normal",))),
    "npx.random.uniform_n": BySeries(Means(("_npi_uniform_n",)), Means(("_npi_uniform",))),
    "np.array": BySeries(NoOperator(_COPIED, ("_np_reshape",)), NoOperator(_COPIED, ("_npx_reshape",))),
    "np.positive": BySeries(_IN_NUMPY, Means(("_npi_copy",))),
    "np.flatnonzero": BySeries(_IN_NUMPY, _several("_npx_nonzero", "_npi_transpose", "_npx_reshape")),
    "sym.np.flatnonzero": _several("_npx_nonzero", "_np_reshape", "_npx_reshape"),
    "np.triu_indices_from": BySeries(_IN_NUMPY, _several(*_TRIU)),
    "np.meshgrid": BySeries(
        _several("_np_reshape", "_npi_broadcast_to"), _several("_npx_reshape", "_npi_broadcast_to")
    ),
    "np.outer": BySeries(_several(*_OUTER, "_np_reshape"), _several(*_OUTER, "_npx_reshape")),
    "nd.np.outer": BySeries(_several(*_OUTER, "_np_reshape"), Means(_OUTER)),
    "sym.np.outer": _several(*_OUTER, "_np_reshape"),
    "np.vdot": BySeries(_several(*_OUTER, "_np_reshape"), _several(*_OUTER, "_npx_reshape")),
    "sym.np.vdot": _several(*_OUTER, "_np_reshape"),
    "sym.np.where": Means(("_npi_where",)),
    "nd.concatenate": NoOperator("it copies one array after the other by _slice_assign", ("_slice_assign",)),
    "nd.contrib.isnan": Means(("broadcast_not_equal",), "a tensor beside itself"),
    "np.insert": NoOperator(
        "which one it calls depends on what says where to insert: a number, a slice or a tensor",
        ("_npi_insert_scalar", "_npi_insert_slice", "_npi_insert_tensor"),
    ),
    "npx.image.center_crop": _CROP,
    "npx.image.fixed_crop": _CROP,
    "npx.image.random_crop": BySeries(_CROP, Means(("_image_random_crop",))),
}

# Functions that call several operators.
_ZIPFIAN = (
    *("_random_uniform", "exp", "log", "_plus_scalar", "_minus_scalar", "_mul_scalar", "_div_scalar", "_mod_scalar"),
)
_ROTATION = (
    *("BilinearSampler", "cos", "sin", "broadcast_add", "broadcast_sub", "broadcast_mul", "_minus_scalar"),
    *("_mul_scalar", "_div_scalar", "_arange", "repeat", "expand_dims", "Concat"),
)
_COMPOSED = {
    "nd.contrib.isfinite": ("abs", "broadcast_equal", "_not_equal_scalar", "broadcast_logical_and"),
    "nd.contrib.isinf": ("abs", "_equal_scalar"),
    "nd.contrib.rand_zipfian": (*_ZIPFIAN, "broadcast_div"),
    "sym.contrib.rand_zipfian": (*_ZIPFIAN, "elemwise_div"),
    "np.broadcast_arrays": ("_npi_broadcast_to",),
    "np.linalg.outer": ("_npi_tensordot_int_axes", "_npx_reshape"),
    "np.linalg.vecdot": ("_npi_tensordot",),
    "np.triu_indices": _TRIU,
    "np.random.beta": ("_npi_gamma", "_npi_add", "_npi_true_divide"),
    "np.random.chisquare": ("_npi_gamma", "_npi_true_divide_scalar"),
    "np.random.f": (
        *("_npi_gamma", "_npi_multiply", "_npi_multiply_scalar", "_npi_true_divide", "_npi_true_divide_scalar"),
    ),
    "np.random.lognormal": ("_npi_normal", "_npi_exp"),
    "npx.image.color_normalize": (
        *("_npi_subtract", "_npi_subtract_scalar", "_npi_rsubtract_scalar"),
        *("_npi_true_divide", "_npi_true_divide_scalar"),
    ),
    "npx.image.imrotate": _ROTATION,
    "npx.image.random_rotate": _ROTATION,
    "npx.image.random_size_crop": ("slice", "_cvimresize"),
}
# Functions that only copy data between Python and MXNet, allocate an array, or look at one.
_WITHOUT_CALL = """
    nd.array nd.empty nd.load nd.load_frombuffer nd.save nd.waitall nd.from_numpy nd.from_dlpack nd.to_dlpack_for_read
    nd.to_dlpack_for_write nd.get_indexing_dispatch_code nd.get_oshape_of_gather_nd_op
    nd.indexing_key_expand_implicit_axes nd.sparse.array
    np.asarray np.can_cast np.dtype np.empty np.empty_like np.finfo np.from_dlpack np.genfromtxt np.iinfo
    np.result_type np.set_printoptions np.shape np.random.seed
    npx.from_dlpack npx.from_numpy npx.load npx.save npx.savez npx.to_dlpack_for_read npx.to_dlpack_for_write
    npx.waitall npx.random.seed npx.image.scale_down npx.image.CreateAugmenter npx.image.CreateDetAugmenter
    npx.image.CreateMultiRandCropAugmenter npx.control_flow.set_module
    sym.Group sym.Variable sym.fromjson sym.load sym.load_json sym.var
"""
# Functions about the process or the front end itself, which several of its modules import.
_HELPERS = """
    c_array_buf check_call classproperty cpu cpu_pinned current_attribute current_context current_device
    get_cuda_compute_capability gpu gpu_memory_info gs_retain is_np_array is_np_default_dtype is_np_shape num_gpus
    reset_np set_np set_np_default_dtype with_metaclass wrap_ctx_to_device_func wrap_data_api_linalg_func
"""
_WITH_HELPERS = """
    nd.contrib nd.random nd.sparse np.linalg np.random npx npx.control_flow npx.image npx.random sym.contrib
    sym.np.random
"""
# Functions of mx.np that NumPy computes, where MXNet has no operator of the name.
_NUMPY_FUNCTIONS = """
    allclose alltrue apply_along_axis apply_over_axes argpartition argwhere array_equal array_equiv choose compress
    corrcoef correlate count_nonzero cov cumprod digitize divmod extract float_power frexp heaviside histogram2d
    histogram_bin_edges histogramdd i0 in1d interp intersect1d isclose isin ix_ lexsort min_scalar_type mirr modf msort
    nanargmax nanargmin nancumprod nancumsum nanmax nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum
    nanvar ndim npv packbits partition piecewise pmt poly polyadd polydiv polyfit polyint polymul polysub ppmt
    promote_types ptp pv rate real resize rollaxis roots searchsorted select setdiff1d setxor1d signbit size spacing
    take_along_axis trapz tril_indices_from trim_zeros union1d unpackbits unravel_index unwrap vander
    linalg.cond linalg.lstsq linalg.matrix_power linalg.multi_dot linalg.qr random.multivariate_normal
"""
# Symbols of these run NumPy inside the graph.
_CUSTOM = ("empty_like", "resize", "unravel_index", "random.multivariate_normal")


def _dispatched_functions(space: str, functions: dict[str, tuple[str, str, str]]) -> Iterable[tuple[str, Meaning]]:
    for name, (tensors, scalar, reflected) in functions.items():
        right = OtherInputs("a tensor and a number" if reflected else _NUMBER, (scalar,))
        left = (OtherInputs("a number and a tensor", (reflected,)),) if reflected else ()
        yield f"{space}.{name}", Means((tensors,), _TENSORS, (right, *left))


def _random_functions(root: str) -> Iterable[tuple[str, Meaning]]:
    for name in _DISTRIBUTIONS:
        yield f"{root}.random.{name}", _sampled(name, f"_sample_{name}")
    yield f"{root}.random.exponential", _sampled("exponential", "_rdiv_scalar", "_sample_exponential")
    yield f"{root}.random.randn", _sampled("normal", "_sample_normal")
    yield f"{root}.random.shuffle", Means(("_shuffle",))
    yield f"{root}.contrib.uniform", _sampled("uniform", "_sample_uniform")


def _sampled(name: str, *for_tensors: str) -> Means:
    return _either(f"_random_{name}", "parameters that are numbers", "tensors", *for_tensors)


def _table() -> Iterable[tuple[str, Meaning | BySeries]]:
    yield from _dispatched_functions("nd", _DISPATCHED)
    yield from _dispatched_functions("sym", _ELEMENTWISE)
    yield from _dispatched_functions("np", _NP_DISPATCHED)
    for name, elementwise in _SPARSE.items():
        broadcast, scalar, _ = _DISPATCHED[name]
        others = (OtherInputs("two shapes", (broadcast,)), OtherInputs(_NUMBER, (scalar,)))
        yield f"nd.sparse.{name}", Means((elementwise,), "two tensors of one shape", others)
    for root in ("nd", "sym"):
        yield from _random_functions(root)
        yield from ((f"{root}.{name}", Means((f"_{name}",))) for name in _CREATION)
    yield from ((f"nd.contrib.{name}", Means((f"_{name}",))) for name in _UPDATES)
    yield from ((f"sym.contrib.{name}", Means((f"_{name}",))) for name in ("adamw_update", "mp_adamw_update"))
    for name in ("cond", "foreach", "while_loop"):
        yield f"sym.contrib.{name}", Means((f"_{name}",))
        yield f"nd.contrib.{name}", NoOperator(_IN_GRAPHS, (f"_{name}",))
        yield f"sym.npx.{name}", Means((f"_npx_{name}",))
        yield from (
            (f"{space}.{name}", NoOperator(_IN_GRAPHS, (f"_npx_{name}",))) for space in ("npx", "npx.control_flow")
        )
    yield from ((f"nd.sparse.{name}", Means(("_zeros",))) for name in ("empty", "zeros"))
    for name in ("csr_matrix", "row_sparse_array"):
        why = "it copies data from Python, and what is dense by cast_storage"
        yield f"nd.sparse.{name}", NoOperator(why, ("cast_storage",))
    for path in _OF_NUMPY.split():
        name = path.rpartition(".")[2]
        yield f"np.{path}", Means((f"_np_{name}", f"_npi_{name}"))
    for entry in _SPELLINGS.split():
        path, _, names = entry.partition("=")
        yield path, Means(tuple(names.split(",")))
    yield from _BY_INPUTS_OR_SERIES.items()
    yield from ((path, _several(*names)) for path, names in _COMPOSED.items())
    yield from ((path, _NO_CALL) for path in _WITHOUT_CALL.split())
    yield from ((f"{space}.{name}", _NO_CALL) for space in _WITH_HELPERS.split() for name in _HELPERS.split())
    yield from ((f"np.{name}", _IN_NUMPY) for name in _NUMPY_FUNCTIONS.split())
    in_graph = NoOperator("it is computed by NumPy, in an operator that is written in Python", ("Custom",))
    yield from ((f"sym.np.{name}", in_graph) for name in _CUSTOM)


# Functions that came with 2.x, though 1.x has their operators.
_LATER = """
    np.acos np.acosh np.asin np.asinh np.atan np.atan2 np.atanh np.bitwise_invert np.concat np.median np.permute_dims
    np.pow np.unique_all np.unique_inverse np.unique_values np.linalg.matrix_norm np.linalg.matrix_transpose
    np.linalg.svdvals np.linalg.tensordot np.linalg.trace np.linalg.vector_norm npx.random.multinomial
"""
_ABSENT = NoOperator("MXNet 1.x has no such function")
FRONT_END: Meanings = {
    path: BySeries(_ABSENT, meaning_of(meaning, "2.0")) if path in _LATER.split() else meaning
    for path, meaning in dict(_table()).items()
}

Arguments: TypeAlias = Mapping[str, Any]
Convert: TypeAlias = Callable[[dict[str, Any], Container[str]], dict[str, Any]]


@dataclass(frozen=True)
class OwnArguments:
    """The operator's name of each argument of a function, differing defaults, and what else its arguments mean.

    `convert` gets all arguments, those with another name under the operator's, and the operator's names.
    """

    names: Mapping[str, str]
    convert: Convert | None = None
    defaults: Mapping[str, int] = field(default_factory=dict)

    def renamed(self, given: Arguments, known: Container[str]) -> dict[str, Any]:
        """The arguments by the operator's names; `known` are those."""
        result: dict[str, Any] = dict(self.defaults)
        for name, value in given.items():
            if name in known or not any(value is each for each in _NUMPY_DEFAULTS.get(name, ())):
                result[name if name in known else self.names.get(name, name)] = value
        return self.convert(result, known) if self.convert else result


# Arguments that the functions only have since NumPy's have them, with the values that change nothing.
_NUMPY_DEFAULTS: Mapping[str, tuple[object, ...]] = {
    "order": (None, "C"),
    "kind": (None,),
    "name": (None,),
    "normed": (None, False),
    "weights": (None,),
    "density": (None, False),
    "overwrite_input": (None, False),
    "retstep": (False,),
    "max_work": (None,),
    "prepend": (None,),
    "append": (None,),
    "stable": (True, False),
}
# Functions by the names of their arguments, as ARGUMENT=NAME of the operator's.
_FUNCTIONS = {
    "x1=lhs x2=rhs": " ".join(_NP_DISPATCHED),
    "a=data": """
        all any argmax argmin clip diagonal expand_dims linalg.trace repeat roll rollaxis sometrue trace
    """,
    "m=data": "flip fliplr flipud rot90 tril triu",
    "x=data": "bincount nan_to_num pad random.shuffle",
    "array=data": "diag diagflat",
    "arr=data": "diag_indices_from",
    "ar=data": "unique",
    "A=data": "tile",
    "a=x": "nonzero",
    "tup=data": "column_stack",
    "seq=data axis=axis": "concatenate concat",
    "arrays=data": "dstack hstack row_stack stack vstack",
    "operands=data": "einsum",
    "arr=data[0] values=data[1] axis=axis": "append",
    "a=A": "linalg.det linalg.eig linalg.eigvals linalg.inv linalg.qr linalg.slogdet linalg.svd linalg.svdvals",
    "a=A rtol=rcond": "linalg.pinv",
    "rtol=tol": "linalg.matrix_rank",
    "a=A b=B": "linalg.lstsq linalg.solve",
    "a=data offset=k": "linalg.diagonal",
    "indices=data": "unravel_index",
    "correction=ddof": "std var",
    "x=a": "positive ravel",
    "axes=a_axes": "linalg.tensorsolve",
    "x=data ord=ord axis=axis keepdims=keepdims": "linalg.norm linalg.matrix_norm linalg.vector_norm",
    "a=data axis1=dim1 axis2=dim2": "swapaxes",
    "size=shape": "random.randint",
}


def _instead(name: str, meaning: Callable[[Any], Arguments]) -> Convert:
    def convert(given: dict[str, Any], _known: Container[str]) -> dict[str, Any]:
        return given | dict(meaning(given.pop(name))) if name in given else given

    return convert


_UNIQUE = {"all": ("return_index", "return_inverse", "return_counts"), "inverse": ("return_inverse",), "values": ()}
# Parameters that the registry of 1.x doesn't list.
_UNLISTED = {name: name for name in ("start", "stop", "num", "endpoint")}


def _split(value: Any) -> Arguments:
    return {"sections": value, "indices": ()} if isinstance(value, int) else {"indices": (0, *value)}


def _summed_axes(value: Any) -> Arguments:
    """The axes of both tensors that are summed over; a number of them is that of another operator."""
    if isinstance(value, int):
        return {"axes": value}
    first, second = ((axes,) if isinstance(axes, int) else tuple(axes) for axes in value)
    return {"a_axes_summed": first, "b_axes_summed": second}


def _framed(given: dict[str, Any], _known: Container[str]) -> dict[str, Any]:
    """What stands before and after differences: numbers are parameters, tensors follow the first input."""
    ends = {end: value for end in ("begin", "end") if (value := given.pop(f"to_{end}", None)) is not None}
    numbers = {end: value for end, value in ends.items() if isinstance(value, int | float)}
    tensors = {end: value for end, value in ends.items() if end not in numbers}
    given |= {f"to_{end}_scalar": value for end, value in numbers.items()}
    given |= {f"to_{end}_arr_given": True for end in tensors}
    return given | {f"input{place}": value for place, value in enumerate(tensors.values(), 2)}


def _filled(given: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """A number to fill with, which 2.0 takes in one of three spellings."""
    value = given.get("value")
    if "value_type" not in known or not isinstance(value, int | float):
        return given
    del given["value"]
    return {**given, **spelled_number(value, number_kind(value), suffix="_value"), "value_type": number_kind(value)}


def _line(given: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """A line along the first axis, which is the only one that MXNet has; 2.0 takes its ends in three spellings."""
    if given.get("axis") == 0:
        del given["axis"]
    ends = {name: given[name] for name in ("start", "stop") if isinstance(given.get(name), int | float)}
    if "value_type" not in known or len(ends) < 2:
        return given
    kind = number_kind(*ends.values())
    spelled = {key: value for name, end in ends.items() for key, value in spelled_number(end, kind, f"{name}_").items()}
    return {**{name: value for name, value in given.items() if name not in ends}, **spelled, "value_type": kind}


def _chosen(given: dict[str, Any], _known: Container[str]) -> dict[str, Any]:
    weights = given.pop("p", None)
    return given if weights is None else {**given, "input1": weights, "weighted": True}


def _centred(given: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """The middle of an image as a slice; the place of a random part doesn't change the work."""
    size, image = given.get("size"), getattr(given.get("data"), "shape", given.get("data"))
    if "begin" not in known or not isinstance(size, tuple | list) or not isinstance(image, tuple) or len(image) < 2:
        return given
    (width, height), (high, wide) = size, image[:2]
    if not (0 < width <= wide and 0 < height <= high):
        return given
    corner = {"x0": (wide - width) // 2, "y0": (high - height) // 2, "w": width, "h": height}
    return _part({**given, **corner}, known)


def _part(given: dict[str, Any], _known: Container[str]) -> dict[str, Any]:
    """A part of an image as a slice of its rows and columns; another `size` would resize it, by another operator."""
    if not all(isinstance(given.get(name), int) for name in ("x0", "y0", "w", "h")):
        return given
    x, y, width, height = (given.pop(name) for name in ("x0", "y0", "w", "h"))
    if given.get("size") in (None, (width, height), [width, height]):
        given = {name: value for name, value in given.items() if name not in ("size", "interp")}
    return {**given, "begin": (y, x, 0), "end": (y + height, x + width, None)}


def _own_arguments() -> Iterator[tuple[str, OwnArguments]]:
    for renamed, functions in _FUNCTIONS.items():
        names = dict(pair.split("=") for pair in renamed.split())
        yield from ((f"np.{name}", OwnArguments(names)) for name in functions.split())
    axes: dict[str, dict[str, int]] = {"split": {"axis": 0}, "array_split": {"axis": 0}, "vsplit": {"axis": 0}}
    for name, defaults in {**axes, "dsplit": {"axis": 2}, "hsplit": {}}.items():
        yield f"np.{name}", OwnArguments({"ary": "data"}, _instead("indices_or_sections", _split), defaults)
    yield "np.tensordot", OwnArguments({}, _instead("axes", _summed_axes))
    yield "np.identity", OwnArguments({}, _instead("n", lambda size: {"shape": (size, size)}))
    bins = lambda value: {"bin_cnt" if isinstance(value, int) else "bins": value}  # noqa: E731
    yield "np.histogram", OwnArguments({"a": "data"}, _instead("bins", bins))
    for name in ("sort", "argsort"):
        yield f"np.{name}", OwnArguments({"a": "data"}, _instead("descending", lambda value: {"is_ascend": not value}))
    axes_of_cross = _instead(
        "axis", lambda axis: {} if axis is None else dict.fromkeys(("axisa", "axisb", "axisc"), axis)
    )
    yield from ((f"np.{name}", OwnArguments({}, axes_of_cross)) for name in ("cross", "linalg.cross"))
    yield "np.linalg.cholesky", OwnArguments({"a": "A"}, _instead("upper", lambda upper: {"lower": not upper}))
    triangle = _instead("upper", lambda upper: {"UPLO": "U" if upper else "L"})
    yield from ((f"np.linalg.{name}", OwnArguments({"a": "A"}, triangle)) for name in ("eigh", "eigvalsh"))
    yield "np.linalg.matrix_transpose", OwnArguments({"a": "data"}, None, {"dim1": -1, "dim2": -2})
    for name, results in _UNIQUE.items():
        yield f"np.unique_{name}", OwnArguments({"x": "data"}, None, dict.fromkeys(results, True))
    yield "np.ediff1d", OwnArguments({"ary": "input1"}, _framed)
    yield "np.full", OwnArguments({"fill_value": "value"}, _filled)
    yield from ((f"np.{name}", OwnArguments(_UNLISTED, _line, {"num": 50})) for name in ("linspace", "logspace"))
    yield "np.random.choice", OwnArguments({}, _chosen)
    yield "npx.image.fixed_crop", OwnArguments({"src": "data"}, _part)
    for name in ("center_crop", "random_crop"):
        yield f"npx.image.{name}", OwnArguments({"src": "data"}, _centred)
    for name in ("normal_n", "uniform_n"):
        yield f"npx.random.{name}", OwnArguments({"batch_shape": "size"})
    yield "npx.constraint_check", OwnArguments({"x": "input"})


_BY_PATH = dict(_own_arguments())


def own_names(path: str) -> Mapping[str, str]:
    """The arguments of a function that are listed here, by their own names."""
    return _BY_PATH[path].names if path in _BY_PATH else {}


def with_operators_names(path: str, given: Arguments, known: Container[str]) -> Arguments:
    """The arguments of a function, such as `np.swapaxes`, by its operator's names, `known`. Raises UsageError."""
    own = _BY_PATH.get(path, OwnArguments({}) if path.startswith(("np.", "npx.")) else None)
    try:
        return own.renamed(given, known) if own else given
    except (TypeError, ValueError) as error:
        values = ", ".join(f"{name}={reprlib.repr(value)}" for name, value in given.items())
        raise UsageError(f"invalid arguments of {path}: {values}") from error
