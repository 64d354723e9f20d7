"""Where a network comes from: Gluon's model zoo or layers, a symbol file, or a block in a Python file."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from autoperf.core.errors import UsageError
from autoperf.core.paths import expanded_path

_EXPECTED = (
    "expected a model of Gluon's zoo (resnet50_v1), a layer (gluon.nn.Dense), a symbol file (model-symbol.json), or "
    "net.py:function"
)
_ZOO = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")
_LAYER = re.compile(r"(?:mx\.|mxnet\.)?(gluon(?:\.\w+)+)")
_SYMBOL_SUFFIX = "-symbol"
_LARGE_IMAGES = ("inception",)


class NetworkSource(msgspec.Struct, frozen=True):
    """The place of a network: a model or a layer by name, or a file by its path; in a Python file also a function."""

    kind: Literal["zoo", "layer", "symbol", "python"]
    location: str
    function: str = ""

    @property
    def name(self) -> str:
        """The network's name in results: the model's, the file's, or `net.function`."""
        if self.kind in ("zoo", "layer"):
            return self.location
        stem = Path(self.location).stem
        return f"{stem}.{self.function}" if self.function else stem.removesuffix(_SYMBOL_SUFFIX)

    def name_below(self, folders: int) -> str:
        """A file's name with so many of the folders that hold it, and its function: `models/net.py:make`."""
        path = str(Path(*Path(self.location).parts[-1 - folders :]))
        return f"{path}:{self.function}" if self.function else path

    @property
    def default_inputs(self) -> dict[str, str]:
        """The inputs of a model of the zoo, which takes images; none for others."""
        if self.kind != "zoo":
            return {}
        edge = 299 if self.location.startswith(_LARGE_IMAGES) else 224
        return {"data": f"Nx3x{edge}x{edge}"}


def parse_source(text: str) -> NetworkSource:
    """The source that a command line names. Raises UsageError."""
    path, colon, function = text.rpartition(":")
    if colon and path.endswith(".py"):
        # As Python has it: names of equal look are equal.
        function = unicodedata.normalize("NFKC", function)
        if not function.isidentifier() or keyword.iskeyword(function):
            raise UsageError(f"invalid network {text!r}: expected the name of a function after the colon")
        return NetworkSource("python", str(expanded_path(path, "network").absolute()), function)
    if text.endswith(".py"):
        raise UsageError(f"invalid network {text!r}: expected {text}:FUNCTION, whose function returns the block")
    if text.endswith(".json"):
        return NetworkSource("symbol", str(expanded_path(text, "network").absolute()))
    if layer := _LAYER.fullmatch(text):
        return NetworkSource("layer", layer[1])
    if not _ZOO.fullmatch(text):
        raise UsageError(f"invalid network {text!r}: {_EXPECTED}")
    return NetworkSource("zoo", text)


def distinct_names(sources: Iterable[NetworkSource]) -> Mapping[NetworkSource, str]:
    """The name of each source; files whose names are equal have as many of their folders as tell them apart."""
    sources = tuple(dict.fromkeys(sources))
    names = {source: source.name for source in sources}
    folders = 0
    while shared := _shared(names):
        names |= {source: source.name_below(folders) for source in shared}
        folders += 1
    return names


def _shared(names: Mapping[NetworkSource, str]) -> list[NetworkSource]:
    """The files whose name another source has too; models and layers have no other name."""
    counts = Counter(names.values())
    return [source for source, name in names.items() if counts[name] > 1 and source.kind in ("symbol", "python")]
