"""Loads YAML as the data it looks like: texts, decimal numbers, true, false, null, lists and tables."""

from __future__ import annotations

import re
from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader without surprises.

    YAML 1.1 reads `no` as false, `0x3` as a hexadecimal number and `1:30` as ninety; here they are texts. Anchors are
    refused, since a few nested ones stand for gigabytes, and so are keys that occur twice.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise yaml.constructor.ConstructorError(None, None, "anchors are not supported", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = set[object]()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key must be a text", key_node.start_mark)
            if key_node.value in keys:
                problem = f"the key {key_node.value!r} occurs twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
            keys.add(key_node.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,18})", "-+0123456789"),
    ("float", r"[-+]?(?:(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)", "-+.0123456789"),
    ("null", r"~|null|Null|NULL|None|none|", "~nN"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})$"), [*_first, *([""] if _tag == "null" else [])]
    )


def load_yaml(text: str) -> object:
    """The document. Raises yaml.YAMLError and ValueError."""
    return yaml.load(text, _Loader)  # noqa: S506 - a subclass of the safe loader
