"""Files of a copied recording, read and written back, plain or zipped as they are."""

import gzip
import json
import shutil
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from oneowner.checkers.places import TOP

REAL = TOP / "traces" / "real"
HANDLE = b"received a handle request for serviceUnit:"


def copied(run: str, folder: Path) -> Path:
    """Copy the recording *run* into *folder*; return the copy."""
    return Path(shutil.copytree(REAL / run, folder / run))


def lines_of(path: Path) -> list[bytes]:
    """Return the lines of a file."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return raw.splitlines()


def write_lines(path: Path, lines: list[bytes]) -> None:
    """Write lines back as the file had them."""
    raw = b"\n".join(lines) + b"\n"
    path.write_bytes(gzip.compress(raw, mtime=0) if path.suffix == ".gz" else raw)


def file_of(folder: Path, stem: str) -> Path:
    """Return the file of that name."""
    return next(path for path in (folder / stem, folder / f"{stem}.gz") if path.exists())


def rewrite(folder: Path, stem: str, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Give the file of that name the lines that *change* makes of its own."""
    path = file_of(folder, stem)
    write_lines(path, change(lines_of(path)))


def changing(stem: str) -> Callable[[Callable[[list[bytes]], list[bytes]]], Callable[[Path], None]]:
    """Make of a function of a file's lines one of a folder, which gives the file of that name what it returns."""

    def of_folder(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Path], None]:
        @wraps(change)
        def in_folder(folder: Path) -> None:
            rewrite(folder, stem, change)

        return in_folder

    return of_folder


def changed(raw: bytes, **fields: Any) -> bytes:
    """Return a line that is a JSON object with other values in some fields."""
    return json.dumps({**json.loads(raw), **fields}).encode()


def middle(lines: list[bytes], holds: bytes, but: bytes | None = None) -> int:
    """Return where the line in the middle of those that hold *holds*, and not *but*, is."""
    places = [place for place, line in enumerate(lines) if holds in line and (but is None or but not in line)]
    return places[len(places) // 2]
