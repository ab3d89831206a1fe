"""The scenarios that come with the package: shortest counterexamples, named FAULT/LAW.yaml as in their folder."""

import difflib
from pathlib import Path

from oneowner.checkers.places import TOP
from oneowner.checkers.verdict import Misuse

FOLDER = Path("traces", "counterexamples")
"""Their folder, in a checkout and in a package."""


def scenario_file(path: Path) -> Path:
    """
    Return *path* if it exists, else the packaged scenario of that name; raise Misuse if there is none.

    The name may begin with the folder in which a checkout has it.

    >>> scenario_file(Path("no_version_check/version-chain.yaml")).is_file()
    True
    """
    if path.exists():
        return path
    name = path.relative_to(FOLDER) if path.is_relative_to(FOLDER) else path
    if (TOP / FOLDER / name).is_file():
        return TOP / FOLDER / name
    near = difflib.get_close_matches(name.as_posix(), names(), n=3, cutoff=0.4)
    words = f"did you mean {' or '.join(near)}?" if near else "packaged ones are named as no_version_check/LAW.yaml"
    raise Misuse(f"{path}: no such file, and no packaged scenario; {words}")


def names() -> list[str]:
    """Return the names of all packaged scenarios."""
    folder = TOP / FOLDER
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*.yaml"))
