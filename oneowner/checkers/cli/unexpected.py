"""
An unexpected exception is printed as a bug, never as a verdict; a bug of a model or a law by file and line.

A file of a model or of laws that cannot be loaded is its author's mistake: one line, as for any wrong input.
"""

import sys
import traceback
from pathlib import Path

from oneowner.checkers.places import PACKAGE, shown
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.verdict import EXIT_CODES, MISUSE, Verdict
from oneowner.model.kernel.declaration import WrongDeclaration

BUG = "this is a bug of oneowner, or of a model that is being changed"


def print_failure() -> int:
    """
    Print the exception being handled, and return the exit code.

    The last line names the file and line of a model or a law that raised it.
    """
    error = sys.exc_info()[1]
    if mistake := _mistake_of(error):
        sys.stderr.write(visible(f"error: {mistake}") + "\n")
        return MISUSE
    sys.stderr.write(visible(traceback.format_exc()) + "\n")
    sys.stderr.write(visible(f"error: {_place_of(error)}{BUG}") + "\n")
    return EXIT_CODES[Verdict.UNKNOWN]


def _mistake_of(error: BaseException | None) -> str:
    """Return the place and the kind of an author's mistake that keeps a file from being loaded, or an empty text."""
    if isinstance(error, WrongDeclaration) and (file := _in_rooms(error.file)):
        return f"{file}:{error.line}: {error}"
    if isinstance(error, SyntaxError) and (file := _in_rooms(error.filename or "")):
        return f"{file}:{error.lineno}: the file cannot be loaded: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    if frames and frames[-1].name == "<module>" and (file := _in_rooms(frames[-1].filename)):
        return f"{file}:{frames[-1].lineno}: the file cannot be loaded: {error}"
    return ""


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
