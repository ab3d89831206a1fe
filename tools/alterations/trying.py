"""Every kind of alteration is tried on recordings; the outcomes become a table."""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

from tools.alterations.kinds import KINDS, JsonKind
from tools.alterations.log_kinds import LogKind
from tools.alterations.noticing import Auditor, noticed
from tools.alterations.recording_lines import Altered, Recorded

Kind = JsonKind | LogKind
REPLAYED = ("channel", "zookeeper")
"""Sources that the replay reads, too."""


@dataclass(frozen=True)
class Trial:
    """The result of one alteration."""

    kind: Kind
    recording: str
    what: str
    by: tuple[str, ...]
    """The checkers that noticed it; empty: none."""


@dataclass
class Row:
    """All trials of one kind."""

    kind: Kind
    tried: int = 0
    noticed: int = 0
    by: Counter[str] = field(default_factory=Counter)
    missed: list[Trial] = field(default_factory=list)


def trials(folder: Path, kinds: Iterable[Kind], times: int, seed: int, is_alone: bool = False) -> Iterator[Trial]:
    """
    Yield the results of alterations of one recording, so many of each kind, at places that *seed* picks.

    Where the channel's dump *is_alone*, it is audited without the other files, and not replayed.
    """
    recorded, auditor = Recorded(folder, is_alone), Auditor()
    if is_alone and recorded.file("channel") is None:
        return
    with unaltered(recorded) as whole:
        before, explained = auditor.audit(whole), None
    for kind in kinds:
        chance = Random(zlib.crc32(f"{seed} {folder.name} {kind.source} {kind.name}".encode()))
        for altered in islice(kind.altered(recorded, chance), times):
            with recorded.with_altered(altered) as copy:
                by = noticed(before, auditor.audit(copy), altered.traces)
                if not by and kind.source in REPLAYED and not is_alone:
                    explained = explained or auditor.replay(folder)
                    by = noticed(explained, auditor.replay(copy), altered.traces)
            yield Trial(kind, folder.name, altered.what, tuple(by))


@contextmanager
def unaltered(recorded: Recorded) -> Iterator[Path]:
    """Give the folder, or one that holds its dump of the channel alone."""
    file = recorded.file("channel")
    if not recorded.is_alone or file is None:
        yield recorded.folder
        return
    with recorded.with_altered(Altered(file, tuple(recorded.lines(file)), frozenset(), "nothing")) as copy:
        yield copy


def rows_of(trials: Iterable[Trial]) -> list[Row]:
    """Return one row for each kind, in the order of the table of kinds."""
    rows = {id(kind): Row(kind) for kind in KINDS}
    for trial in trials:
        row = rows[id(trial.kind)]
        row.tried += 1
        row.noticed += bool(trial.by)
        row.by.update(trial.by)
        if not trial.by:
            row.missed.append(trial)
    return [row for row in rows.values() if row.tried]


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table as lines of Markdown: the number noticed by each checker, and the reasons for the others."""
    yield "| source | altered | noticed | by (how often), or why not always |"
    yield "|---|---|---|---|"
    for row in rows:
        who = ", ".join(f"{by} {number}" for by, number in row.by.most_common(MOST))
        by = "; ".join(filter(None, (who, row.kind.cannot)))
        yield f"| {row.kind.source} | {row.kind.name} | {row.noticed} of {row.tried} | {by} |"


MOST = 3
"""Laws that a row of the table names."""
