"""Shell completion of operators, categories, namespaces and releases; click completes commands and options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import click
from click.shell_completion import CompletionItem

from autoperf.core.errors import AutoperfError


def operators(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The names and aliases of the operators of the release that the command line names, else of the default one."""
    return _in_list(typed, _operator_names(_library(context)))


def categories(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """autoperf's categories with their descriptions, then opperf's groups."""
    from autoperf.rules.categories import CATEGORIES, GROUPS

    return _in_list(typed, [*CATEGORIES, *GROUPS], CATEGORIES.get)


def namespaces(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The namespaces by which operators are selected."""
    from autoperf.registry.names import NAMESPACES

    return _in_list(typed, NAMESPACES)


def releases(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The installed releases; files are completed by the shell where none begins so."""
    from autoperf.machine.releases import installed_releases

    names = [release.version for release in installed_releases() if release.version.startswith(typed)]
    return [CompletionItem(name) for name in dict.fromkeys(names)] or [CompletionItem(typed, type="file")]


def _operator_names(library: str | None) -> Iterator[str]:
    """Every name of a release's registry, by the cached crawl if there is one; nothing where it can't be read."""
    from autoperf.backends.lookup import MXNET, backend_of
    from autoperf.registry.client import RegistryClient

    try:
        with RegistryClient(backend_of(MXNET), backend_of(MXNET).find(library)) as client:
            registry = client.registry()
    except (AutoperfError, OSError):
        return
    for operator in registry.forward:
        yield from operator.names


def _library(context: click.Context) -> str | None:
    """The first --mxnet that was typed so far."""
    given = context.params.get("libraries") or context.params.get("library")
    return given[0] if isinstance(given, tuple) else given


def _in_list(
    typed: str, names: Iterable[str], help_text: Callable[[str], str | None] = lambda _name: None
) -> list[CompletionItem]:
    """The names that begin as the last one of a list with commas, behind those before it."""
    before, comma, prefix = typed.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{name}", help=help_text(name))
        for name in dict.fromkeys(names)
        if name.startswith(prefix)
    ]
