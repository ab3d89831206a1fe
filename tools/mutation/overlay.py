"""The project once more, with one file of the model changed: the work tree is never touched."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tools.mutation.mutants import ROOT, path_of

ROOMS = ("oneowner", "tests", "tools")
FILES = ("pyproject.toml",)


class Change(Protocol):
    """The defect in one file of the model."""

    @property
    def file(self) -> str: ...

    def applied(self, source: bytes) -> bytes:
        """Return the file with the change."""


@contextmanager
def overlaid(mutant: Change) -> Iterator[Path]:
    """Yield a folder that holds the project with *mutant* in it; unchanged files are linked, not copied."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        place = Path(folder)
        for room in ROOMS:
            shutil.copytree(ROOT / room, place / room, copy_function=_link, ignore=shutil.ignore_patterns("target"))
        for name in FILES:
            _link(str(ROOT / name), str(place / name))
        (place / "traces").symlink_to(ROOT / "traces")
        changed = path_of(mutant.file, place / "oneowner" / "model")
        text = changed.read_bytes()
        changed.unlink()  # else the original would be written to
        changed.write_bytes(mutant.applied(text))
        for stale in (changed.parent / "__pycache__").glob(f"{changed.stem}.*"):
            stale.unlink()
        yield place


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another device
        shutil.copy2(source, target)


def environment(place: Path) -> dict[str, str]:
    """Return the environment of a process that finds the model in *place*, and keeps nothing anywhere else."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    own = {"PYTHONPATH": str(place), "XDG_CACHE_HOME": str(place / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    return {**kept, **own}
