"""
Files of schedules: does a system's model take every step that the real class took, and stand where it stood?

A line is one schedule as JSON, in a plain or gzipped file: ``{"id", "release", "steps": [...]}``. The fields of a step
are the system's own (``System.schedules``).
"""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oneowner.checkers.inputs.content import reason
from oneowner.checkers.json_text import NoJson, json_of
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.releases import nearest
from oneowner.model.kernel.schedule import Difference, Unreadable
from oneowner.model.kernel.system import System


@dataclass(slots=True)
class Followed:
    """The result of a file of schedules."""

    path: Path
    taken: int = 0
    """The number of accepted schedules."""
    refused: list[tuple[int, str, str, Difference]] = field(default_factory=list)
    """The refused schedules: line, id, release of the rules, first difference."""
    unreadable: list[str] = field(default_factory=list)
    """Unreadable lines, with file and line."""


def follow_file(path: Path, system: System, release: str | None) -> Followed:
    """
    Put every schedule of a file to the model of *system*, under the rules of *release*.

    Without a release each is put to the rules of its own, or else of the system's default. Raise Misuse if the system
    has no such reader, or for a file that is not there.
    """
    reader = system.schedules
    if reader is None:
        raise Misuse(f"system refused: {system.name}; no schedules of the real class are read for it")
    found = Followed(path)
    for number, text in lines_of(path):
        try:
            schedule = parsed(text)
            own = str(schedule.get("release"))
            under = release or nearest(own, system.releases) or system.default_release
            difference = reader(schedule, under)
        except Unreadable as error:
            found.unreadable.append(f"{path}:{number}: {error}")
            continue
        if difference is None:
            found.taken += 1
        else:
            found.refused.append((number, str(schedule.get("id", number)), under, difference))
    if not found.taken and not found.refused and not found.unreadable:
        raise Misuse(f"{path}:1: no schedule in it")
    return found


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield every line that is not empty, with its number; raise Misuse for a file that cannot be read."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, line
    except FileNotFoundError:
        raise Misuse(f"{path}: no such file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Misuse(f"{path}:{number + 1}: cannot be read: {reason(error)}") from None
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror or error}") from None


def parsed(text: bytes) -> Mapping[str, Any]:
    """Parse a line as a schedule; raise Unreadable if it is none."""
    try:
        data = json_of(text)
    except NoJson as error:
        raise Unreadable(f"not JSON: {error}") from None
    steps = data.get("steps") if isinstance(data, dict) else None
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise Unreadable("no schedule: it needs steps, a list of objects")
    schedule: Mapping[str, Any] = data
    return schedule
