"""
What the checkout of the project says of its own past, by git: a file as it was, the entries of one that changed.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path


def committed(path: Path, revision: str = "HEAD") -> str | None:
    """Return a file's text in a revision; None if it is not in it, or nothing here is under version control."""
    return _git(path, "show", f"{revision}:./{path.name}")


def _git(path: Path, *arguments: str) -> str | None:
    """Return what git says where *path* is; None if it refuses, or is not there."""
    command = ["git", "-C", str(path.parent), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:  # no git
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def changed_entries(path: Path) -> list[str]:
    """
    Return the entries of a list in Markdown that are not committed, or came or changed with the last commit.

    Where the last commit has no parent (a shallow clone has none), nobody knows what came with it: nothing did.
    """
    now = committed(path)
    if now is None or not path.exists():
        return []
    has_parent = _git(path, "rev-parse", "--verify", "--quiet", "HEAD~1") is not None
    before = set(entries_of((committed(path, "HEAD~1") or "") if has_parent else now))
    return [entry for entry in entries_of(path.read_text(encoding="utf-8")) if entry not in before]


def entries_of(text: str) -> list[str]:
    """
    Return the entries of a list in Markdown, each with its lines joined.

    >>> entries_of("# Laws\\n\\n- one,\\n  and more\\n- two\\n\\nwords\\n")
    ['one, and more', 'two']
    """
    found: list[list[str]] = []
    is_inside = False
    for line in text.splitlines():
        if line.startswith("- "):
            found.append([line[2:].strip()])
            is_inside = True
        elif is_inside and line.startswith(" "):
            found[-1].append(line.strip())
        else:
            is_inside = False
    return [" ".join(lines) for lines in found]


def names_all(entry: str, *names: str) -> bool:
    """
    Say whether an entry names all these names, as words of their own.

    >>> names_all("`single-server` fails in transfer", "transfer", "single-server"), names_all("two-crashes", "crashes")
    (True, False)
    """
    return all(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", entry) for name in names)
