"""A cluster of the command line: checked, and a hunt there or on this machine. Dask is imported where one is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autoperf.core.errors import UsageError

if TYPE_CHECKING:
    from autoperf.hunt.session import FinishedHunt, HuntSession


def checked_cluster(value: str | None) -> str | None:
    """The value. Raises UsageError if it names no cluster, or if Dask isn't installed."""
    if value is not None:
        import_cluster()
        from autoperf.fleet.clusters import check_cluster

        check_cluster(value)
    return value


def import_cluster() -> None:
    """Imports Dask. Raises UsageError if it isn't installed."""
    try:
        import autoperf.fleet.clusters  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"a cluster needs Dask: {error}; `pip install '.[cluster]'` in the folder of the source installs it"
        ) from error


def run_here_or_on(cluster: str | None, session: HuntSession) -> FinishedHunt:
    """Runs the hunt, on this machine or on a cluster. Raises AutoperfError."""
    if not cluster:
        return session.run()
    from autoperf.fleet.hunts import ClusterHunt

    return ClusterHunt(session, cluster).run()
