"""The scratch folder of a run, which goes with it; and what killed runs have left of theirs."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from autoperf.core.errors import OutputError
from autoperf.core.locks import is_kept, make_locked

PREFIX = "autoperf-"
OWNER = "owner"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder for rendered files and logs; folders whose owner was killed are removed before.

    Raises OutputError if it can't be made.
    """
    try:
        remove_leftovers(Path(tempfile.gettempdir()))
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    except OSError as error:
        raise OutputError(f"can't make a scratch folder: {error.strerror}; TMPDIR names another place") from error
    try:
        with make_locked(folder / OWNER):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(place: Path) -> int:
    """Removes this user's scratch folders in this place whose owner is dead; how many there were."""
    removed = 0
    for folder in place.glob(f"{PREFIX}*"):
        # Others may come and go meanwhile; a folder without an owner may be about to get one.
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid() or is_kept(folder / OWNER):
                continue
            shutil.rmtree(folder, ignore_errors=True)
            removed += not folder.exists()
    return removed
