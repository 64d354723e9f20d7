"""The arguments of functions of mx.np and mx.npx that differ from those of their operators."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from autoperf.core.errors import UsageError
from autoperf.rules.operators.creation import number_kind, spelled_number

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
            if name in known or not any(value is each for each in _OF_NUMPY.get(name, ())):
                result[name if name in known else self.names.get(name, name)] = value
        return self.convert(result, known) if self.convert else result


# Arguments that the functions only have since NumPy's have them, with the values that change nothing.
_OF_NUMPY: Mapping[str, tuple[object, ...]] = {
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
    "x1=lhs x2=rhs": """
        add bitwise_and bitwise_or bitwise_xor copysign divide equal greater greater_equal lcm ldexp less less_equal
        maximum minimum mod multiply not_equal power remainder subtract true_divide
        arctan2 bitwise_left_shift bitwise_right_shift floor_divide fmax fmin fmod gcd hypot logaddexp logical_and
        logical_or logical_xor atan2 pow
    """,
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
    """Replaces an argument, if it is given, by those that it stands for."""

    def convert(given: dict[str, Any], _known: Container[str]) -> dict[str, Any]:
        return given | dict(meaning(given.pop(name))) if name in given else given

    return convert


_UNIQUE = {"all": ("return_index", "return_inverse", "return_counts"), "inverse": ("return_inverse",), "values": ()}
# Parameters that the registry of 1.x doesn't list.
_UNLISTED = {name: name for name in ("start", "stop", "num", "endpoint")}


def _split(value: Any) -> Arguments:
    """Equal sections, or the first index of each further one."""
    if isinstance(value, int):
        return {"sections": value, "indices": ()}
    return {"indices": (0, *value)}


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
    lower = _instead("upper", lambda upper: {"lower": not upper})
    yield "np.linalg.cholesky", OwnArguments({"a": "A"}, lower)
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
_NUMPY_MODULES = ("np.", "npx.")


def own_names(path: str) -> Mapping[str, str]:
    """The arguments of a function that are listed here, by their own names."""
    return _BY_PATH[path].names if path in _BY_PATH else {}


def with_operators_names(path: str, given: Arguments, known: Container[str]) -> Arguments:
    """The arguments of a function, such as `np.swapaxes`, by its operator's names, which are `known`.

    Raises UsageError for values from which these don't follow.
    """
    own = _BY_PATH.get(path, OwnArguments({}) if path.startswith(_NUMPY_MODULES) else None)
    try:
        return own.renamed(given, known) if own else given
    except (TypeError, ValueError) as error:
        values = ", ".join(f"{name}={reprlib.repr(value)}" for name, value in given.items())
        raise UsageError(f"invalid arguments of {path}: {values}") from error
