"""What the values of options may be, and what is said of others."""

from __future__ import annotations

import math
import re
from typing import Any, ClassVar

import click

from autoperf.core.errors import UnknownNameError
from autoperf.core.limits import MAX_BYTES, MAX_SECONDS
from autoperf.core.tensors import DTYPES

_AMOUNT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)")


class DtypeType(click.ParamType):  # type: ignore[type-arg]
    """A dtype that MXNet has; the nearest names are suggested for another."""

    name = "dtype"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The dtype's name. Raises UnknownNameError."""
        if "," in str(value):
            self.fail(f"{value!r} are several dtypes; a run takes one, so start a run for each", param, ctx)
        if value not in DTYPES:
            raise UnknownNameError("dtype", str(value), DTYPES)
        return str(value)


class SizeType(click.ParamType):  # type: ignore[type-arg]
    """A number of bytes, with a unit if it has one."""

    name = "size"
    units: ClassVar = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The size in bytes; fails for anything that is no positive size."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", str(value).strip())
        unit = self.units.get(found[2].upper()) if found else None
        size = float(found[1]) * unit if found and unit else 0.0
        if not 1 <= size <= MAX_BYTES:
            self.fail(f"{value!r} is no size; write 500MB or 4GiB", param, ctx)
        return int(size)


class DurationType(click.ParamType):  # type: ignore[type-arg]
    """A stretch of time: 90s, 10m, 1h30m, 200ms; a bare number is in seconds."""

    name = "duration"
    units: ClassVar = {"": 1.0, "MS": 1e-3, "S": 1.0, "M": 60.0, "MIN": 60.0, "H": 3600.0}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds; fails for anything that is no positive stretch of time."""
        if isinstance(value, float):
            return value
        parts = _AMOUNT.findall(str(value))
        # "10 20" has two numbers of one unit, and says neither.
        units = {unit.upper() for _, unit in parts}
        known = units <= self.units.keys() and len(units) == len(parts) and not _AMOUNT.sub("", str(value)).strip()
        seconds = sum(float(number) * self.units[unit.upper()] for number, unit in parts) if known else 0.0
        if not 0 < seconds <= MAX_SECONDS:
            self.fail(f"{value!r} is no stretch of time; write 90s, 10m, 1h30m or 200ms", param, ctx)
        return seconds


class FiniteRange(click.FloatRange):
    """A number within bounds; `nan`, which compares with nothing, isn't one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; fails for anything else, and for what is beyond the bounds."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is no number in the range {self._describe_range()}", param, ctx)
        return number


class ShareType(click.ParamType):  # type: ignore[type-arg]
    """A share in percent; the sign is asked for, so that nobody means 5 and gets 500."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The share: 0.05 for `5%`; fails for anything without the sign."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*%", str(value).strip())
        if not found:
            self.fail(f"{value!r} is no share; write it in percent, such as 5%", param, ctx)
        share = float(found[1]) / 100
        if not math.isfinite(share):
            self.fail(f"{value!r} is no share; write it in percent, such as 5%", param, ctx)
        return share
