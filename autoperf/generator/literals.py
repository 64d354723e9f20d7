"""Values as Python source: tensors, contents, graphs and parameters in rendered files."""

from __future__ import annotations

import keyword
import math
import re
import unicodedata

from autoperf.core.errors import AutoperfError
from autoperf.core.graph import Graph, Node
from autoperf.core.names import IDENTIFIER, is_name
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Literal_, TensorSpec

MAX_IDENTIFIER = 100
MAX_NODES_IN_LINE = 4
"""A graph of more nodes has a line for each."""
_ARGUMENT_INDENT = " " * 8
_NODE_INDENT = " " * 12


def literal(value: Value) -> str:
    """The value's source. Raises AutoperfError for infinity, NaN and unknown types."""
    if isinstance(value, float) and not math.isfinite(value):
        raise AutoperfError(f"{value!r} has no literal; give a finite number")
    if isinstance(value, str):
        return '"' + value.encode("unicode_escape").decode().replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        inner = ", ".join(literal(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    raise AutoperfError(
        f"invalid value {value!r} of type {type(value).__name__}: expected a number, text, bool, None or a tuple"
    )


def argument(name: str, source: str) -> str:
    """`name=source`, as an argument of a call. Raises AutoperfError for an invalid name."""
    if not is_name(name):
        raise AutoperfError(f"invalid name {name!r}: expected {IDENTIFIER}")
    return f"{name}={source}"


def plain(text: object) -> str:
    """The text escaped for a docstring."""
    printable = "".join(letter if letter.isprintable() else " " for letter in str(text))
    return re.sub('"{2,}', lambda quotes: '\\"' * len(quotes[0]), printable.replace("\\", "\\\\"))


def content_source(content: AnyContent) -> str:
    """`uniform(-1.0, 1.0)`: the constructor's name is the content's kind; empty trailing options are left out."""
    if isinstance(content, Literal_):
        return f"literal({', '.join(map(literal, content.values))})"
    values = [getattr(content, name) for name in content.__struct_fields__]
    while values and (values[-1] is False or values[-1] == ()):
        values.pop()
    return f"{content_kind(content)}({', '.join(literal(value) for value in values)})"


def content_kind(content: AnyContent) -> str:
    """The name under which rendered files write this content."""
    return str(type(content).__struct_config__.tag)


def tensor_source(spec: TensorSpec) -> str:
    """`tensor((32, 32), "float32", uniform(-1.0, 1.0))`, with storage and density for a sparse one."""
    parts = [literal(spec.shape), literal(spec.dtype), content_source(spec.content)]
    if spec.storage != "default":
        parts += [f"storage={literal(spec.storage)}", f"density={literal(spec.density)}"]
    return f"tensor({', '.join(parts)})"


def graph_source(graph: Graph) -> str:
    """`graph("x", nodes=[node("y", "exp", "x")], outputs=["y"])`; a larger graph has a line for each node."""
    nodes = list(map(_node_source, graph.nodes))
    inputs, outputs = (", ".join(map(literal, names)) for names in (graph.inputs, graph.outputs))
    lead = f"{inputs}, " if inputs else ""
    if len(nodes) <= MAX_NODES_IN_LINE:
        return f"graph({lead}nodes=[{', '.join(nodes)}], outputs=[{outputs}])"
    lines = "".join(f"\n{_NODE_INDENT}{node}," for node in nodes)
    return f"graph({lead}nodes=[{lines}\n{_ARGUMENT_INDENT}], outputs=[{outputs}])"


def _node_source(node: Node) -> str:
    parts = [literal(text) for text in (node.name, node.operator, *node.inputs)]
    return f"node({', '.join([*parts, *(argument(key, literal(value)) for key, value in node.params.items())])})"


def identifier(text: str) -> str:
    """A Python identifier from the text, of at most 100 characters; never a keyword or a dunder name.

    It is NFKC-normalised as Python does, so that different results are different identifiers.
    """
    normal = unicodedata.normalize("NFKC", text)
    name = "".join(letter if f"_{letter}".isidentifier() else "_" for letter in normal)[:MAX_IDENTIFIER]
    name = unicodedata.normalize("NFKC", name)
    if not name.isidentifier() or name.startswith("__"):
        name = f"case_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name
