"""The version of the project, with the commit where it runs from a checkout."""

import subprocess
from functools import cache

from oneowner.checkers import VERSION
from oneowner.checkers.places import PACKAGE


@cache
def version_text() -> str:
    """Return ``0.2.0 (1a2b3c4d)``; the commit is marked by ``+`` if files of the package differ from it."""
    home = PACKAGE.parent
    if not (home / ".git").exists():
        return VERSION
    try:
        commit = _git("rev-parse", "--short=8", "HEAD").strip()
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", str(PACKAGE)).strip()
    except (OSError, subprocess.SubprocessError):  # no git, or no commit yet
        return VERSION
    return f"{VERSION} ({commit}{'+' if changed else ''})"


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(PACKAGE.parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=5).stdout
