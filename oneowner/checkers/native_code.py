"""The C compiler of this machine, and the folder where compiled programs are kept."""

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from oneowner.checkers.verdict import Misuse

HINT: Final = "sudo apt-get install gcc"


def compiler() -> str | None:
    """Return the C compiler of this machine, if there is one."""
    return shutil.which(os.environ.get("CC", "cc"))


def cache() -> Path:
    """
    Return the folder where compiled programs are kept; it can be deleted at any time.

    They are programs that are run: raise Misuse if another user owns the folder, or everybody may write into it.
    """
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # no HOME, and a user without a password entry, as in many a container
        base = Path(tempfile.gettempdir()) / f"oneowner-{os.getuid()}"
    folder = base / "oneowner"
    for place in (folder, base):
        with suppress(OSError):
            found = place.stat()
            is_open = found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX
            if stat.S_ISDIR(found.st_mode) and (is_open or found.st_uid not in (0, os.getuid())):
                raise Misuse(
                    f"{place}: refused as a cache, as others may write programs there: user {found.st_uid} owns it, "
                    f"mode {found.st_mode & 0o7777:o}; mend that, or name another place by XDG_CACHE_HOME"
                )
    return folder
