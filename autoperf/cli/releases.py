"""`autoperf releases`: releases of MXNet side by side."""

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
    from autoperf.backends.lookup import MXNET, backend_of
    from autoperf.backends.releases import INSTALLED
    from autoperf.machine.releases import normalized_version

    put(f"{backend_of(MXNET).find(version if version == INSTALLED else normalized_version(version))}\n")
