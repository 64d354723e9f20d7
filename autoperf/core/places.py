"""Where autoperf keeps what it can find or fetch again: the user's cache folder, and the releases of MXNet in it."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "AUTOPERF_CACHE"
RELEASES_VARIABLE = "AUTOPERF_RELEASES"


def cache_folder() -> Path:
    """$AUTOPERF_CACHE, else `autoperf` in the user's cache folder (~/.cache, or where XDG_CACHE_HOME says)."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("autoperf"))


def releases_folder() -> Path:
    """$AUTOPERF_RELEASES, else `releases` in the cache folder."""
    given = os.environ.get(RELEASES_VARIABLE)
    return Path(given).expanduser() if given else cache_folder() / "releases"
