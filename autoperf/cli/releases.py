"""`autoperf releases` and `autoperf frameworks`: releases of MXNet, and other frameworks, side by side."""

from __future__ import annotations

import click

from autoperf.cli.command import Command
from autoperf.cli.options import format_option, mxnet_only
from autoperf.front.output import notices, put, show_report
from autoperf.reports.units import size

versions_argument = click.argument("versions", nargs=-1, required=True, metavar="VERSION...")


@click.group()
def releases() -> None:
    """Install releases of MXNet side by side, for --mxnet VERSION. The installed package stays as it is.

    Releases are kept in the cache folder, or in the folder named by AUTOPERF_RELEASES.
    """


@releases.command(cls=Command)
@mxnet_only
@versions_argument
@click.option(
    "--package",
    is_flag=True,
    help="Keep MXNet's Python package beside the library: for --caller python, front-end benchmarks, layers, capture.",
)
def install(versions: tuple[str, ...], package: bool) -> None:
    """Install these releases with pip, each into its own folder. Installed releases are not changed.

    With --package, one without its Python package is fetched again.
    """
    from autoperf.machine.releases import install as install_release
    from autoperf.machine.releases import normalized_version

    notice = notices()
    for version in [normalized_version(text) for text in versions]:
        installation = install_release(version, lambda line: notice.write(f"{line}\n"), package=package)
        if installation is None:
            put(f"MXNet {version} is already installed\n")
        else:
            release, names = installation.release, installation.names
            put(f"MXNet {release.version}: {names} names registered, {size(installation.bytes)}\n")


@releases.command("list", cls=Command)
@mxnet_only
@format_option("releases")
def list_(form: str) -> None:
    """List the installed releases with path and size, and mark the default."""
    from autoperf.machine.releases import installed_releases

    show_report("releases", form, installed_releases())


@releases.command(cls=Command)
@mxnet_only
@versions_argument
def remove(versions: tuple[str, ...]) -> None:
    """Remove these releases from the folder."""
    from autoperf.machine.releases import normalized_version
    from autoperf.machine.releases import remove as remove_release

    notice = notices()
    for version in [normalized_version(text) for text in versions]:
        freed = remove_release(version, lambda line: notice.write(f"{line}\n"))
        put(f"MXNet {version} removed, {size(freed)} freed\n")


@releases.command(cls=Command)
@mxnet_only
@click.argument("version", metavar="VERSION")
def path(version: str) -> None:
    """Print the path of a release's libmxnet.so, for scripts. `installed` is the package of this Python."""
    from autoperf.backends.lookup import INSTALLED, MXNET, backend_of
    from autoperf.machine.releases import normalized_version

    put(f"{backend_of(MXNET).find(version if version == INSTALLED else normalized_version(version))}\n")


_names = click.argument("names", nargs=-1, required=True, metavar="NAME[@VERSION]...")


@click.group()
def frameworks() -> None:
    """Install other frameworks for --framework NAME: numpy, torch, jax. They don't change this Python's packages.

    Each version has an environment of its own in the cache folder, or in the folder named by AUTOPERF_FRAMEWORKS.
    """


@frameworks.command(cls=Command)
@_names
def install_frameworks(names: tuple[str, ...]) -> None:
    """Install these frameworks with pip: `torch jax`, or `torch@2.13.0` for a version. PyTorch comes without CUDA."""
    from autoperf.machine.releases import install_framework

    notice = notices()
    for name in names:
        made = install_framework(name, lambda line: notice.write(f"{line}\n"))
        put(f"{made.title} {made.version}, {size(made.bytes)}\n" if made else f"{name} is already installed\n")


@frameworks.command("list", cls=Command)
@format_option("frameworks")
def list_frameworks(form: str) -> None:
    """List the installed frameworks with their interpreters and sizes."""
    from autoperf.machine.releases import installed_frameworks

    show_report("frameworks", form, list(installed_frameworks()))


@frameworks.command(cls=Command)
@_names
def remove_framework(names: tuple[str, ...]) -> None:
    """Remove these versions from the cache folder."""
    from autoperf.machine.releases import remove_framework

    notice = notices()
    for name in names:
        removed = remove_framework(name, lambda line: notice.write(f"{line}\n"))
        put(f"{removed.title} {removed.version} removed, {size(removed.bytes)} freed\n")
