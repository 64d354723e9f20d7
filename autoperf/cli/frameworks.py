"""`autoperf frameworks`: other frameworks, with which MXNet is compared."""

from __future__ import annotations

import click

from autoperf.cli.command import Command
from autoperf.cli.options import format_option
from autoperf.front.output import notices, put, show_report
from autoperf.reports.units import size

_names = click.argument("names", nargs=-1, required=True, metavar="NAME[@VERSION]...")


@click.group()
def frameworks() -> None:
    """Install other frameworks for --framework NAME: numpy, torch, jax. They don't change this Python's packages.

    Each version has an environment of its own in the cache folder, or in the folder named by AUTOPERF_FRAMEWORKS.
    """


@frameworks.command(cls=Command)
@_names
def install(names: tuple[str, ...]) -> None:
    """Install these frameworks with pip: `torch jax`, or `torch@2.13.0` for a version. PyTorch comes without CUDA."""
    from autoperf.machine.releases import install_framework

    notice = notices()
    for name in names:
        made = install_framework(name, lambda line: notice.write(f"{line}\n"))
        put(f"{made.title} {made.version}, {size(made.bytes)}\n" if made else f"{name} is already installed\n")


@frameworks.command("list", cls=Command)
@format_option("frameworks")
def list_(form: str) -> None:
    """List the installed frameworks with their interpreters and sizes."""
    from autoperf.machine.releases import installed_frameworks

    show_report("frameworks", form, list(installed_frameworks()))


@frameworks.command(cls=Command)
@_names
def remove(names: tuple[str, ...]) -> None:
    """Remove these versions from the cache folder."""
    from autoperf.machine.releases import remove_framework

    notice = notices()
    for name in names:
        removed = remove_framework(name, lambda line: notice.write(f"{line}\n"))
        put(f"{removed.title} {removed.version} removed, {size(removed.bytes)} freed\n")
