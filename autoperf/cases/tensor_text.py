"""Tensors as texts that `parse_tensors` reads: `128x30522`, `1024:int32:integers(0, 1000)`."""

from __future__ import annotations

import msgspec

from autoperf.cases.shorthand import Tensors
from autoperf.core.operator import Value
from autoperf.core.tensors import AnyContent, Literal_
from autoperf.rules.rule import Draft


def tensors_text(tensors: Tensors) -> str:
    """The text of a tensor, or of a list of tensors in square brackets."""
    if isinstance(tensors, Draft):
        return _tensor_text(tensors)
    return f"[{', '.join(map(_tensor_text, tensors))}]"


def _tensor_text(draft: Draft) -> str:
    parts = ["x".join(map(str, draft.shape)) or "()"]
    if draft.dtype:
        parts.append(draft.dtype)
    if draft.content is not None:
        parts.append(content_text(draft.content))
    if draft.storage != "default":
        parts.append(f"{draft.storage}({draft.density!r})")
    return ":".join(parts)


def content_text(content: AnyContent) -> str:
    """The text of a content, as it follows a shape: `integers(0, 1000)`."""
    values = content.values if isinstance(content, Literal_) else msgspec.structs.astuple(content)
    arguments = f"({', '.join(map(_value_text, values))})" if values else ""
    return f"{content.__struct_config__.tag}{arguments}"


def _value_text(value: Value) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_value_text, value))}{',' if len(value) == 1 else ''})"
    return str(value).lower() if isinstance(value, bool) else str(value)
