"""`autoperf releases`: releases of MXNet side by side."""

from __future__ import annotations

import click

from autoperf.cli.command import Command
from autoperf.cli.options import format_option

versions_argument = click.argument("versions", nargs=-1, required=True, metavar="VERSION...")


@click.group()
def releases() -> None:
    """Install releases of MXNet side by side, for --mxnet VERSION. The installed package stays as it is.

    Releases are kept in the cache folder, or in the folder named by AUTOPERF_RELEASES.
    """


@releases.command(cls=Command)
@versions_argument
def install(versions: tuple[str, ...]) -> None:
    """Install these releases with pip, each into its own folder. Installed releases are not changed."""
    from autoperf.cli.output import notices, put
    from autoperf.pipeline.releases import checked
    from autoperf.pipeline.releases import install as install_release
    from autoperf.reports.units import size

    notice = notices()
    for version in [checked(text) for text in versions]:
        done = install_release(version, lambda line: notice.write(f"{line}\n"))
        if done is None:
            put(f"MXNet {version} is already installed\n")
        else:
            put(f"MXNet {done.release.version}: {done.names} names registered, {size(done.bytes)}\n")


@releases.command("list", cls=Command)
@format_option("releases")
def list_(form: str) -> None:
    """List the installed releases with path and size, and mark the default."""
    from autoperf.cli.output import show_report
    from autoperf.pipeline.releases import rows

    show_report("releases", form, rows())


@releases.command(cls=Command)
@versions_argument
def remove(versions: tuple[str, ...]) -> None:
    """Remove these releases from the folder."""
    from autoperf.cli.output import notices, put
    from autoperf.pipeline.releases import checked
    from autoperf.pipeline.releases import remove as remove_release
    from autoperf.reports.units import size

    notice = notices()
    for version in [checked(text) for text in versions]:
        freed = remove_release(version, lambda line: notice.write(f"{line}\n"))
        put(f"MXNet {version} removed, {size(freed)} freed\n")


@releases.command(cls=Command)
@click.argument("version", metavar="VERSION")
def path(version: str) -> None:
    """Print the path of a release's libmxnet.so, for scripts. `installed` is the package of this Python."""
    from autoperf.capi.library import find_library
    from autoperf.capi.releases import INSTALLED
    from autoperf.cli.output import put
    from autoperf.pipeline.releases import checked

    put(f"{find_library(version if version == INSTALLED else checked(version))}\n")
