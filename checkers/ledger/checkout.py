"""A file as it was committed, by git."""

from __future__ import annotations

import subprocess
from pathlib import Path


def committed(path: Path) -> str | None:
    """Return a file's text in the last commit; None if it is not in it, or nothing here is under version control."""
    command = ["git", "-C", str(path.parent), "show", f"HEAD:./{path.name}"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:  # no git
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
