"""The user's cache folder, the folders of releases and frameworks, and the environment of child processes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import autoperf
from autoperf.core.errors import UsageError

CACHE_VARIABLE = "AUTOPERF_CACHE"
RELEASES_VARIABLE = "AUTOPERF_RELEASES"
FRAMEWORKS_VARIABLE = "AUTOPERF_FRAMEWORKS"
EXTENSIONS_VARIABLE = "AUTOPERF_EXTENSIONS"
# A folder of every Linux machine that all may write to, and that a restart empties.
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - what lies there is opened without following links


def cache_folder() -> Path:
    """$AUTOPERF_CACHE, else `autoperf` in the user's cache folder ($XDG_CACHE_HOME or ~/.cache).

    Raises UsageError for the home of an unknown user.
    """
    # Not at the top: an interpreter that has another framework may lack it, and its processes need no cache.
    import platformdirs  # noqa: PLC0415

    return _from_environment(CACHE_VARIABLE) or Path(platformdirs.user_cache_dir("autoperf"))


def releases_folder() -> Path:
    """$AUTOPERF_RELEASES, else `releases` in the cache folder. Raises UsageError as `cache_folder` does."""
    return _from_environment(RELEASES_VARIABLE) or cache_folder() / "releases"


def frameworks_folder() -> Path:
    """$AUTOPERF_FRAMEWORKS, else `frameworks` in the cache folder: environments of other frameworks, as NAME/VERSION.

    Raises UsageError as `cache_folder` does.
    """
    return _from_environment(FRAMEWORKS_VARIABLE) or cache_folder() / "frameworks"


def claims_folder() -> Path:
    """Where the runs of this user on this machine claim processors, whatever their cache and temporary folders."""
    return SHARED_MEMORY / f"autoperf-claims-{os.getuid()}"


def _from_environment(variable: str) -> Path | None:
    text = os.environ.get(variable)
    return expanded_path(text, variable) if text else None


def expanded_path(text: str, what: str) -> Path:
    """The path with `~` expanded. Raises UsageError that names `what` it is."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"invalid {what} {text!r}: {str(error).rstrip('.')}; give the full path") from error


CHILD_VARIABLES = ("PYTHONPATH", "PYTHONSAFEPATH", "PYTHONUNBUFFERED", "PYTHONWARNINGS")
"""The variables that autoperf sets for every child; a user can't override them."""


def child_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment and `extra`, with this package on the path but not the child's working folder."""
    home = str(Path(autoperf.__file__).resolve().parent.parent)
    path = os.pathsep.join(part for part in (home, os.environ.get("PYTHONPATH", "")) if part)
    fixed = dict(zip(CHILD_VARIABLES, (path, "1", "1", "ignore"), strict=True))
    return {**os.environ, **extra, **fixed}
