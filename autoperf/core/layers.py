"""Layers of Gluon as cases: the ways in which they run, and the parameter that says so."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.operator import Value

CATEGORY = "gluon"
PREFIX = "gluon_"
"""Before a layer's class, in the name of its cases: `gluon_Dense`."""
HYBRIDIZE = "hybridize"
"""The parameter of a layer's cases that is no constructor argument: how its block is hybridized."""
IMPERATIVE = "imperative"
STATIC = "static"
WAYS: Mapping[str, Value] = {IMPERATIVE: False, "hybridized": True, STATIC: STATIC}
"""How a layer runs, as its cases' profiles and parameter say; static: with `static_alloc` and `static_shape`."""
