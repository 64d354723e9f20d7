"""`--caller`: which interface of MXNet makes the calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from autoperf.core.clocks import CAPI, PYTHON, clocks_of_caller


def caller_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--caller as `caller`: the clocks that it reads beside the others."""
    return click.option(
        "--caller",
        type=click.Choice((CAPI, PYTHON.name)),
        default=CAPI,
        show_default=True,
        callback=lambda _context, _parameter, value: clocks_of_caller(value),
        help="python: also time each call through MXNet's Python package (mx.nd, mx.np), beside the C API's, in turn.",
    )(command)
