"""
Files that a folder holds beside those that are read are named with their kind.

A file's name determines its kind. A log that is called ``broker.out`` would be missed silently, and a run be called
valid by the channel alone.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from oneowner.checkers.inputs.kinds import NOT_OF_A_BROKER, kind_of_file
from oneowner.checkers.recordings.fold.file_names import is_known, known_files, named_with_kind
from oneowner.checkers.recordings.fold.runs import Run
from oneowner.checkers.recordings.read.compression import ERRORS, text_in
from oneowner.checkers.recordings.read.lines import FileKind
from oneowner.checkers.remote_files import is_away

LOOKED_AT: Final = 64 * 1024
"""The number of bytes of a file that are examined."""
LOG: Final = re.compile(rb"^.{0,80}\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*org\.apache\.pulsar", re.MULTILINE)
"""A line of a broker: a time near its beginning, after any prefix, and a logger."""
DUMP: Final = re.compile(rb'\{.*"messageId"')
OF_A_RECORDING: Final = re.compile(r"metrics.*\.txt|.*-stats\.json|expectation\.yaml")
"""Files that a recording has beside those that are judged."""
MANY: Final = 5
"""The number of files of one kind that are named."""


def unread(run: Run) -> Iterator[str]:
    """
    Yield the notes on files that are not read, if *run* is a whole folder of this machine.

    There are none if names are hidden: these names are of no record.
    """
    folder = Path(run.name)
    if is_away(run.name) or run.question.vocabulary or not folder.is_dir():
        return
    read = {Path(path).resolve() for path, _ in run.recognised}
    if any(file.resolve() not in read for file in known_files(folder) if file.name != "manifest.yaml"):
        return  # only some of its files were requested
    others = [file for file in sorted(folder.iterdir()) if file.is_file() and not is_known(file.name)]
    begins = {file.name: _beginning(file) for file in others if file.resolve() not in read}
    logs = [name for name, text in begins.items() if len(LOG.findall(text)) > 1]
    dumps = [name for name, text in begins.items() if DUMP.match(text)]
    if logs:
        yield f"{run.name}: not read, though like a broker's log: {_some(logs)}; the name of a log has .log in it"
    if dumps:
        yield f"{run.name}: not read, though like a dump: {_some(dumps)}; a dump is called channel*.jsonl"
    left = [file for file in others if file.name not in {*logs, *dumps} and not OF_A_RECORDING.fullmatch(file.name)]
    if named := [words for file in left if (words := named_with_kind(file)) != file.name]:
        yield f"{run.name}: left out: {_some(named)}"
    logged = [Path(piece.path) for piece in run.pieces if piece.kind == FileKind.LOG]
    if alien := [named_with_kind(log) for log in logged if kind_of_file(log) in NOT_OF_A_BROKER]:
        yield f"{run.name}: no log of a broker: {_some(alien)}"


def _beginning(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(LOOKED_AT) if file.suffix != ".gz" else text_in(stream, str(file)).read(LOOKED_AT)
    except ERRORS:
        return b""


def _some(names: list[str]) -> str:
    return ", ".join(names[:MANY]) + (f" and {len(names) - MANY} more" if len(names) > MANY else "")
