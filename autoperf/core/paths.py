"""The user's cache folder, and the folder of MXNet releases."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from autoperf.core.errors import UsageError

CACHE_VARIABLE = "AUTOPERF_CACHE"
RELEASES_VARIABLE = "AUTOPERF_RELEASES"
# A folder of every Linux machine that all may write to, and that a restart empties.
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - what lies there is opened without following links


def cache_folder() -> Path:
    """$AUTOPERF_CACHE, else `autoperf` in the user's cache folder ($XDG_CACHE_HOME or ~/.cache).

    Raises UsageError for the home of an unknown user.
    """
    return _from_environment(CACHE_VARIABLE) or Path(platformdirs.user_cache_dir("autoperf"))


def releases_folder() -> Path:
    """$AUTOPERF_RELEASES, else `releases` in the cache folder. Raises UsageError as `cache_folder` does."""
    return _from_environment(RELEASES_VARIABLE) or cache_folder() / "releases"


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
