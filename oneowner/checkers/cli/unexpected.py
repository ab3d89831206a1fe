"""An unexpected exception is printed as a bug, never as a verdict; a bug of a model or a law by file and line."""

import sys
import traceback
from pathlib import Path

from oneowner.checkers.places import PACKAGE, shown
from oneowner.checkers.report.control_characters import visible

BUG = "this is a bug of oneowner, or of a model that is being changed"


def print_bug() -> None:
    """Print the exception being handled; the last line names the file and line of a model or a law that raised it."""
    sys.stderr.write(visible(traceback.format_exc()) + "\n")
    sys.stderr.write(visible(f"error: {_place_of(sys.exc_info()[1])}{BUG}") + "\n")


def _place_of(error: BaseException | None) -> str:
    """Return the place and the message of an error in a model or a law, or an empty text."""
    if error is None:
        return ""
    if isinstance(error, SyntaxError):
        places = [(_in_rooms(error.filename or ""), error.lineno)]
    else:
        places = [(_in_rooms(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if not places[-1][0]:
        return ""
    own = [place for place in places if place[0] and not place[0].startswith("oneowner/model/kernel/")]
    file, line = (own or places)[-1]
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{file}:{line}: {type(error).__name__}: {words}; "


def _in_rooms(file: str) -> str:
    """Return the path of a file of a model or of laws from the top of a checkout, or an empty text."""
    path = Path(file)
    is_there = any(path.is_relative_to(PACKAGE / room) for room in ("model", "spec"))
    return shown(path) if is_there else ""
