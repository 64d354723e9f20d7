"""The classes of Gluon's blocks, in the process that imports the front end."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from typing import Any

from autoperf.core.layer_coverage import LayerClass

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def layer_classes(package: Any) -> tuple[LayerClass, ...]:
    """Every public class of blocks below `mxnet.gluon`, whose modules are imported for it, sorted by path."""
    gluon = package.gluon
    _import_all(gluon)
    classes = {gluon.Block, *_subclasses(gluon.Block)}
    public = (kind for kind in classes if not kind.__name__.startswith("_"))
    own = (kind for kind in public if kind.__module__.startswith(f"{gluon.__name__}."))
    return tuple(sorted((_described(gluon, kind) for kind in own), key=lambda layer: layer.path))


def _import_all(gluon: Any) -> None:
    """Imports the modules of Gluon; some need packages that aren't there, and their layers can't be used either."""
    for info in pkgutil.walk_packages(gluon.__path__, f"{gluon.__name__}.", onerror=lambda _name: None):
        with contextlib.suppress(Exception):
            importlib.import_module(info.name)


def _subclasses(kind: Any) -> Iterator[Any]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _described(gluon: Any, kind: type) -> LayerClass:
    signature = _ADDRESS.sub("", str(inspect.signature(kind)))
    return LayerClass(_public_module(gluon, kind), kind.__name__, signature, issubclass(kind, gluon.HybridBlock))


def _public_module(gluon: Any, kind: type) -> str:
    """The outermost module that has the class under its name, below `mxnet.gluon`: `nn` for `nn.basic_layers`."""
    parts = kind.__module__.removeprefix(f"{gluon.__name__}.").split(".")
    while parts and getattr(sys.modules[".".join((gluon.__name__, *parts[:-1]))], kind.__name__, None) is kind:
        parts.pop()
    return ".".join(parts)
