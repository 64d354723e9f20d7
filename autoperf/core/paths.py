"""Where autoperf keeps what it can find or fetch again: the user's cache folder, and the releases of MXNet in it."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from autoperf.core.errors import UsageError

CACHE_VARIABLE = "AUTOPERF_CACHE"
RELEASES_VARIABLE = "AUTOPERF_RELEASES"


def cache_folder() -> Path:
    """$AUTOPERF_CACHE, else `autoperf` in the user's cache folder (~/.cache, or where XDG_CACHE_HOME says).

    Raises UsageError for the home of a user that there isn't.
    """
    return _given(CACHE_VARIABLE) or Path(platformdirs.user_cache_dir("autoperf"))


def releases_folder() -> Path:
    """$AUTOPERF_RELEASES, else `releases` in the cache folder. Raises UsageError as `cache_folder` does."""
    return _given(RELEASES_VARIABLE) or cache_folder() / "releases"


def _given(variable: str) -> Path | None:
    given = os.environ.get(variable)
    return expanded_path(given, variable) if given else None


def expanded_path(text: str, what: str) -> Path:
    """The path with the user's home spelled out. Raises UsageError, which says what it is of."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"invalid {what} {text!r}: {str(error).rstrip('.')}; give the whole path") from error
