"""
The kind of a file in a recorded run follows from its name; of a file that is named alone, also from its content.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from oneowner.checkers.inputs.kinds import BROKER_LOG, UNKNOWN, kind_of_file
from oneowner.checkers.json_text import NoJson, json_of
from oneowner.checkers.recordings.read.compression import ENDING
from oneowner.checkers.recordings.read.lines import FileKind
from oneowner.checkers.remote_files import is_away, reason

CHANNEL = re.compile(rf"channel.*\.(jsonl|txt){ENDING}")
ZOOKEEPER = re.compile(rf"zookeeper.*\.jsonl{ENDING}")
COMPACTED = re.compile(rf"compacted.*\.jsonl{ENDING}")
SIDE = re.compile(rf"(lookups|owned|actions|clients).*\.jsonl{ENDING}")
BESIDE = re.compile(rf"(lookups|owned|actions|clients|zookeeper).*\.jsonl{ENDING}")
LOG = re.compile(rf".*\.log([.-][0-9A-Za-z_.-]+)?{ENDING}")
OTHER = re.compile(r"manifest\.yaml|bundles\.json")
LINES = re.compile(rf"[^.]+|.*\.(jsonl|json|ndjson|txt){ENDING}|.*\.(gz|zst|lz4)")
"""The file names of a dump that is named alone."""


def is_known(name: str) -> bool:
    """Return whether a file of this name can be part of a recorded run."""
    return any(pattern.fullmatch(name) for pattern in (CHANNEL, ZOOKEEPER, COMPACTED, SIDE, LOG, OTHER))


def is_log(file: Path) -> bool:
    """Return whether a file of this machine is a broker's log by its content, whatever its name."""
    return not is_away(str(file)) and kind_of_file(file) is BROKER_LOG


def is_dump(file: Path) -> bool:
    """Return whether *file* is read as a channel dump: by its name, or because it has no known one, and is no log."""
    return bool(CHANNEL.fullmatch(file.name)) or not (is_known(file.name) or is_log(file))


def known_files(folder: Path) -> list[Path]:
    """Return the files in *folder* that can be part of a recorded run."""
    return [file for file in sorted(folder.iterdir()) if file.is_file() and is_known(file.name)]


def named_with_kind(child: Path) -> str:
    """Return a file's name, with its kind and the verb that reads it, if its content shows them."""
    kind = UNKNOWN if child.is_dir() else kind_of_file(child)
    verb = f": oneowner {' '.join(kind.verb)}" if kind.verb else ""
    return f"{child.name} ({kind.name}{verb})" if verb or kind.hint else child.name


def odd_files(folder: Path) -> list[Path]:
    """Return paths that have the name of a file of a recorded run, and cannot be read to an end."""
    return [odd for odd in sorted(folder.iterdir()) if is_known(odd.name) and not (odd.is_file() or odd.is_dir())]


def what(odd: Path) -> str:
    """Return the reason that such a path is not read."""
    return "a link to no regular file" if odd.is_symlink() else "no regular file"


_SIDE_WORDS: Final = {
    "lookups": "lookups", "owned": "polls of owned bundles", "actions": "admin calls", "clients": "clients",
    "zookeeper": "ZooKeeper history",
}  # fmt: skip


def kind_in_words(path: str, kind: FileKind) -> str:
    """Return the kind of a file that is read, as results name it."""
    stem = next((stem for stem in _SIDE_WORDS if kind == FileKind.SIDE and Path(path).name.startswith(stem)), "")
    return _SIDE_WORDS.get(stem, kind.value)


def kind_beside(file: Path) -> FileKind | None:
    """Return the kind of a file that is not the judged channel; None if it is not read by lines."""
    if COMPACTED.fullmatch(file.name):
        return FileKind.COMPACTED
    if LOG.fullmatch(file.name) or not is_known(file.name):
        return FileKind.LOG
    return None if OTHER.fullmatch(file.name) else FileKind.SIDE


def bundles_refused(files: Iterable[Path]) -> Iterator[str]:
    """Yield the reason that a file of bundle boundaries cannot be read."""
    for file in files:
        if file.name == "bundles.json":
            try:
                if not isinstance(json_of(file.read_bytes()), dict):
                    yield f"{file}:1: bundles refused: it is a mapping of namespaces"
            except NoJson as error:
                yield f"{file}:{error.line}: not JSON: {error}"
            except OSError as error:
                yield f"{file}: cannot be read: {reason(error)}"
