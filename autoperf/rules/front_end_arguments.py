"""The arguments of functions of mx.np that have other names than those of their operators."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class OwnArguments:
    """The operator's name of each argument of a function, the one that stands for others, and differing defaults."""

    names: Mapping[str, str]
    convert: Callable[[Any], Arguments] | None = None
    converted: str = ""
    defaults: Mapping[str, int] = field(default_factory=dict)

    def renamed(self, given: Arguments, known: Container[str]) -> dict[str, Any]:
        """The arguments by the operator's names; `known` are those."""
        result: dict[str, Any] = dict(self.defaults)
        for name, value in given.items():
            if name in known:
                result[name] = value
            elif self.convert and name == self.converted:
                result |= self.convert(value)
            elif not any(value is each for each in _OF_NUMPY.get(name, ())):
                result[self.names.get(name, name)] = value
        return result


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
        all any argmax argmin argsort clip diagonal expand_dims repeat roll sometrue sort trace
    """,
    "m=data": "flip fliplr flipud rot90 tril triu",
    "x=data": "bincount nan_to_num pad random.shuffle",
    "array=data": "diag diagflat",
    "arr=data": "diag_indices_from",
    "ar=data": "unique",
    "A=data": "tile",
    "x=a": "ravel",
    "a=x": "nonzero",
    "tup=data": "column_stack",
    "seq=data axis=axis": "concatenate concat",
    "arrays=data": "dstack hstack row_stack stack vstack",
    "operands=data": "einsum",
    "arr=data[0] values=data[1] axis=axis": "append",
    "a=A": "linalg.cholesky linalg.det linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.pinv "
    "linalg.slogdet linalg.svd",
    "a=A b=B": "linalg.solve",
    "axes=a_axes": "linalg.tensorsolve",
    "x=data ord=ord axis=axis keepdims=keepdims": "linalg.norm",
    "a=data axis1=dim1 axis2=dim2": "swapaxes",
    "fill_value=value": "full",
    "size=shape": "random.randint",
    "p=input1": "random.choice",
}


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


def _own_arguments() -> Iterator[tuple[str, OwnArguments]]:
    for renamed, functions in _FUNCTIONS.items():
        names = dict(pair.split("=") for pair in renamed.split())
        yield from ((f"np.{name}", OwnArguments(names)) for name in functions.split())
    axes: dict[str, dict[str, int]] = {"split": {"axis": 0}, "array_split": {"axis": 0}, "vsplit": {"axis": 0}}
    for name, defaults in {**axes, "dsplit": {"axis": 2}, "hsplit": {}}.items():
        yield f"np.{name}", OwnArguments({"ary": "data"}, _split, "indices_or_sections", defaults)
    yield "np.tensordot", OwnArguments({}, _summed_axes, "axes")
    yield "np.identity", OwnArguments({}, lambda size: {"shape": (size, size)}, "n")
    bins = lambda value: {"bin_cnt" if isinstance(value, int) else "bins": value}  # noqa: E731
    yield "np.histogram", OwnArguments({"a": "data"}, bins, "bins")
    for name in ("normal_n", "uniform_n"):
        yield f"npx.random.{name}", OwnArguments({"batch_shape": "size"})
    yield "npx.constraint_check", OwnArguments({"x": "input"})


_BY_PATH = dict(_own_arguments())
_NUMPY_MODULES = ("np.", "npx.")


def own_names(path: str) -> Mapping[str, str]:
    """The arguments of a function that are listed here, by their own names."""
    return _BY_PATH[path].names if path in _BY_PATH else {}


def with_operators_names(path: str, given: Arguments, known: Container[str]) -> Arguments:
    """The arguments of a function, such as `np.swapaxes`, by its operator's names, which are `known`."""
    own = _BY_PATH.get(path, OwnArguments({}) if path.startswith(_NUMPY_MODULES) else None)
    return own.renamed(given, known) if own else given
