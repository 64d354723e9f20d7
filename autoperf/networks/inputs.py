"""The inputs of a network as people type them, with N for the batch size: `Nx3x224x224`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from autoperf.cases.shorthand import parse_tensor
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.rules.rule import Draft

_BATCH = re.compile(r"(?:^|(?<=[\s(,x]))N(?=$|[\s),x])")
_EXAMPLE = "data=Nx3x224x224"


def parse_inputs(words: Sequence[str]) -> dict[str, str]:
    """The texts of tensors by name, from `NAME=SHAPE`. Raises UsageError."""
    texts: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not (equals and name.strip() and text.strip()):
            raise UsageError(f"invalid --input {word!r}: expected NAME=SHAPE, such as {_EXAMPLE}")
        if name.strip() in texts:
            raise UsageError(f"invalid --input: {name.strip()} is given twice; a network has one shape of each input")
        texts[name.strip()] = text.strip()
    return texts


def takes_batch(texts: Mapping[str, str]) -> bool:
    """Whether the shape of an input has the batch size N."""
    return any(_BATCH.search(_parts(text)[0]) for text in texts.values())


def drafts(texts: Mapping[str, str], batch: int) -> dict[str, Draft]:
    """The tensors at a batch size. Raises UsageError and UnknownNameError."""
    return {name: _draft(name, text, batch) for name, text in texts.items()}


def check_names(network: str, names: Iterable[str], declared: Mapping[str, str]) -> None:
    """Raises UnknownNameError for an input that the network doesn't declare, if it declares some."""
    for name in names:
        if declared and name not in declared:
            raise UnknownNameError(f"input of {network}", name, declared)


def _draft(name: str, text: str, batch: int) -> Draft:
    try:
        return parse_tensor(_at(text, batch))
    except UsageError as error:
        raise UsageError(f"input {name}={text}: {error}") from error


def _at(text: str, batch: int) -> str:
    shape, rest = _parts(text)
    return _BATCH.sub(str(batch), shape) + rest


def _parts(text: str) -> tuple[str, str]:
    """The shape, and what follows it, with the colon."""
    shape, colon, rest = text.partition(":")
    return shape, colon + rest
