"""Paths of recorded runs: standard input and a paste are taken for what they hold, and other kinds are handed over."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from oneowner.checkers.cli.handing_over import hand_over, look_at, named, verb_for
from oneowner.checkers.inputs.beginning import LOOKED_AT, OTHERS
from oneowner.checkers.inputs.content import DASH, is_pasted, pasted
from oneowner.checkers.inputs.kinds import (
    AUDIT,
    BROKER_LOG,
    DECIDE,
    DUMP,
    EXCERPT,
    HISTORY,
    LIKE,
    NOT_OF_A_BROKER,
    InputKind,
    kind_of_file,
)
from oneowner.checkers.recordings.fold.file_names import is_known, known_files
from oneowner.checkers.remote_files import is_away
from oneowner.checkers.verdict import Misuse

NAMES: Final = {DUMP: "channel.jsonl", HISTORY: "zookeeper.jsonl", BROKER_LOG: "broker.log"}
"""The name of a copy of standard input."""
DUMPS: Final = (".jsonl", ".json", ".ndjson", *OTHERS)
"""The endings of a dump of any name: what is wrong in it is reported line by line."""
READS: Final = "a channel dump, a ZooKeeper history, or brokers' logs are read"


@contextmanager
def recordings_in(paths: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of recordings; standard input becomes a file while they are read."""
    if len(paths) == 1 and not is_away(paths[0]):
        path = Path(paths[0])
        if is_pasted(path) or path.is_file():
            check(path, look_at(paths[0], AUDIT, also=known_by_name(path)))
        elif path.is_dir() and not known_files(path):
            paths = others_in(path)
    if not any(map(is_pasted, paths)):
        yield tuple(paths)
        return
    with tempfile.TemporaryDirectory(prefix="standard-input-") as folder:
        copy = Path(folder) / NAMES.get(kind_of_file(Path(DASH)), "channel.jsonl")
        copy.write_bytes(pasted())
        yield tuple(str(copy) if is_pasted(path) else path for path in paths)


def known_by_name(path: Path) -> tuple[InputKind, ...]:
    """Return the kinds of a file that is read for its name, whatever is in it."""
    return (kind_of_file(path),) if is_known(path.name) and not path.name.endswith((".log", ".log.gz")) else ()


def check(path: Path, kind: InputKind) -> None:
    """Hand over a paste of a log; raise Misuse for a text that is no recording, and not named like one."""
    size = len(pasted()) if is_pasted(path) else path.stat().st_size
    is_paste = not is_known(path.name) and size < LOOKED_AT
    if kind is BROKER_LOG and is_paste and verb_for(EXCERPT) is not None:
        hand_over(str(path), EXCERPT)
    is_named = is_known(path.name) or path.name.removesuffix(".gz").endswith(DUMPS)
    if kind.verb != AUDIT and not is_named:
        raise Misuse(f"{named(str(path))}: {kind.name}; {READS}")


def refuse_other(given: str, verb: str) -> None:
    """Raise Misuse for a single file that is no part of a recording, by its name and its content."""
    path = Path(given)
    if is_away(given) or not path.is_file() or is_known(path.name):
        return
    kind = kind_of_file(path)
    if kind.verb != AUDIT:
        raise Misuse(f"{given}: {kind.name}; {verb} reads a recorded run: {READS}")


def others_in(folder: Path) -> list[str]:
    """
    Return the dumps and logs of a folder in which no file is named like one; hand over a folder of another verb's.

    That is a folder of load data, of texts without a recording, or with a single file that a verb reads.
    """
    kinds = {file: kind_of_file(file) for file in sorted(folder.iterdir()) if file.is_file()}
    recorded = [str(file) for file, kind in kinds.items() if kind in (DUMP, BROKER_LOG)]
    if recorded:
        return recorded
    if loads := [kind for kind in kinds.values() if kind.verb == DECIDE]:
        hand_over(str(folder), loads[0]._replace(name=f"a folder with {loads[0].name}"))
    read = {file: kind for file, kind in kinds.items() if kind.verb or kind in NOT_OF_A_BROKER}
    if read and all(kind.verb in (LIKE, ()) for kind in read.values()):
        first = next(iter(read.values()))
        hand_over(str(folder), first._replace(name=f"a folder with {first.name}", verb=LIKE))
    if len(read) == 1 and AUDIT not in (kind.verb for kind in read.values()):
        hand_over(*next((str(file), kind) for file, kind in read.items()))
    return [str(folder)]
