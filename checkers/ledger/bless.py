"""
Blessing: what exploring a family finds now becomes what the ledger pins, and the history says why.

``make bless REASON="..." [FAMILY=...]``. It sets counts anew. The verdict of a law, or a witness that is no longer
reached, it changes only if docs/decisions/measured.md names both in an entry that
is not committed yet or came with the last commit; likewise a row is left out only if an entry names it. Nothing is
written unless everything can be.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oneowner.checkers.documents import At, parse_document, suggestion
from oneowner.checkers.engines.explore.compiled import cores
from oneowner.checkers.ledger import families
from oneowner.checkers.ledger.checkout import changed_entries, committed, names_all
from oneowner.checkers.ledger.exploration_verdict import counts_of, pins_of
from oneowner.checkers.ledger.family import COUNTS, Family, family_in
from oneowner.checkers.ledger.family_check import Checked, check_row
from oneowner.checkers.ledger.history import (
    LEFT_OUT,
    Counts,
    histories,
    history_file,
    in_words,
    lost,
    read_history,
    section,
)
from oneowner.checkers.ledger.pin_edit import filled, with_values, without_lines
from oneowner.checkers.places import ROOT
from oneowner.checkers.report.json import write_text
from oneowner.checkers.verdict import EXIT_CODES, MISUSE, EngineError, Misuse, Verdict
from oneowner.spec.systems import systems

MEASURED = ROOT / "docs" / "decisions" / "measured.md"


@dataclass(slots=True)
class Blessing:
    """What is to change in one file of the ledger, and what stands against it."""

    path: Path
    text: str
    """The file with a place for everything."""
    rows: list[str] = field(default_factory=list)
    """The rows that the file has."""
    changes: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """What only the caller can decide."""
    doubts: list[str] = field(default_factory=list)
    """Why what was found cannot be pinned."""
    values: dict[At, str] = field(default_factory=dict)
    gone: list[At] = field(default_factory=list)

    def result(self) -> str:
        """Return the file as it is to be."""
        return without_lines(self.path, with_values(self.text, self.values), self.gone)


def plan(path: Path, decided: Sequence[str], history: Mapping[str, Counts]) -> Blessing:
    """Explore the family of one file in all its releases, and compare with its pins; nothing is written."""
    text = filled(path, path.read_text(encoding="utf-8"))
    family = family_in(document := parse_document(path, text), systems()[path.parent.parent.name])
    blessing = Blessing(path, text)
    before = _committed_rows(path)
    releases: list[tuple[Family, At]] = [(row, ("releases", name)) for name, row in family.releases.items()]
    for row, at in [(family, ()), *releases]:
        blessing.rows.append(row.row)
        checked = check_row(row, "pr", cores(), goes_on=True)
        _compare(blessing, row, at, checked, history)
        if not checked.judged.exploration.finished:
            continue  # then verdicts mean nothing
        _decide(blessing, row, at, checked, before.get(at, {}), decided)
    for at in [at for at in blessing.values if at not in document.lines]:
        verdict = blessing.values.pop(at)
        blessing.refusals.append(f"{family.row}: {at[-1]} has no row, and is {verdict}; write its row, and why")
    return blessing


def _compare(blessing: Blessing, row: Family, at: At, checked: Checked, history: Mapping[str, Counts]) -> None:
    """Note the counts that are to be pinned, and what stands against pinning anything."""
    blessing.doubts += [f"{row.row}: {doubt}" for doubt in doubts_of(checked)]
    found, pins = counts_of(checked.judged.exploration), pins_of(row)
    blessing.values |= {(*at, name): str(count) for name, count in zip(COUNTS, found, strict=True)}
    if found != pins or history.get(row.row) != found:
        was = "first pinned" if not any(pins) else "as it was" if found == pins else f"was {in_words(pins)}"
        blessing.changes.append(f"{row.row}: {in_words(found)} ({was})")


def _decide(
    blessing: Blessing, row: Family, at: At, checked: Checked, before: Mapping[str, Any], decided: Sequence[str]
) -> None:
    """Note verdicts and witnesses that are no longer those of the file or of the commit, decided or not."""

    def change(name: str, words: str) -> None:
        blessing.changes.append(f"{row.row}: {words}")
        if not any(names_all(one, row.name, name) for one in decided):
            blessing.refusals.append(f"{row.row}: {words}")

    for law in checked.judged.result.laws:
        kind = "liveness" if law.law in row.liveness else "laws"
        if law.verdict != law.expected:
            blessing.values[*at, kind, law.law] = law.verdict.value
        was = (
            law.expected.value if law.verdict != law.expected else before.get(kind, {}).get(law.law, law.verdict.value)
        )
        if law.verdict != was:
            change(law.law, f"{law.law} is {law.verdict} (was {was})")
    for number, name in enumerate(row.witnesses):
        if not checked.judged.exploration.witnesses[name]:
            blessing.gone.append((*at, "witnesses", number))
            change(name, f"witness {name} is not reached")
    for name in before.get("witnesses", ()):
        if name not in row.witnesses:
            change(name, f"witness {name} is no longer asked for")


def _committed_rows(path: Path) -> dict[At, dict[str, Any]]:
    """Return the rows of a file as they are committed, releases with what they share with the first one."""
    text = committed(path)
    data = None if text is None else parse_document(path, text).data
    if not isinstance(data, dict):
        return {}
    found: dict[At, dict[str, Any]] = {(): data}
    for name, row in (data.get("releases") or {}).items():
        own = row or {}
        both = {kind: {**(data.get(kind) or {}), **(own.get(kind) or {})} for kind in ("laws", "liveness")}
        found["releases", str(name)] = {**both, "witnesses": own.get("witnesses", data.get("witnesses", ()))}
    return found


def doubts_of(checked: Checked) -> Iterator[str]:
    """Yield why what was found cannot be pinned."""
    exploration, liveness = checked.judged.exploration, checked.judged.liveness
    if checked.differs:
        yield checked.differs
    if not exploration.finished:
        yield f"not all states were visited: {exploration.stopped}"
    if liveness.unjudged:
        yield f"liveness is not judged: {liveness.unjudged}"
    yield from (f"{name} is not judged: {one.undecided}" for name, one in liveness.results.items() if one.undecided)
    yield from (f"no step was enabled: {name}" for name, times in exploration.fired.items() if not times)


def bless(names: Sequence[str], reason: str) -> int:
    """Pin anew the families named, or all; print what changed, or why nothing was written; return the exit code."""
    if not reason.strip() or len(reason.splitlines()) > 1:
        raise Misuse(
            'a reason is demanded, on one line: make bless REASON="what changed the counts, and why it is right"'
        )
    there = families.family_files()
    decided, history = changed_entries(MEASURED), histories()
    for name in names:
        if name not in there and name not in history:
            raise Misuse(f"no such family: {name}; {suggestion(name, there)}")
    blessings = [plan(there[name], decided, history) for name in names or there if name in there]
    concerned = {name: counts for name, counts in history.items() if not names or name.partition("@")[0] in names}
    gone = lost([row for one in blessings for row in one.rows], concerned)
    changes = [change for one in blessings for change in one.changes]
    changes += [f"{row}: {LEFT_OUT}" for row in gone]
    doubts = [doubt for one in blessings for doubt in one.doubts]
    refusals = [refusal for one in blessings for refusal in one.refusals]
    refusals += [f"{row}: {LEFT_OUT}" for row in gone if not any(names_all(one, row) for one in decided)]
    for words, lines in (("unknown", doubts), ("refused", refusals)):
        for line in lines:
            sys.stdout.write(f"{words}: {line}\n")
    if refusals:
        raise Misuse(
            "nothing is written: an entry of docs/decisions/measured.md has to name the family and the law, and say why"
        )
    if doubts:
        sys.stdout.write("nothing is written\n")
        return EXIT_CODES[Verdict.UNKNOWN]
    texts = {one.path: one.result() for one in blessings}
    for path, text in texts.items():
        family_in(
            parse_document(path, text), systems()[path.parent.parent.name]
        )  # it can be read again, or nothing is written
    for path, text in texts.items():
        if text != path.read_text(encoding="utf-8"):
            write_text(path, text)
    for file in dict.fromkeys(map(history_file, changes)):
        own = [change for change in changes if history_file(change) == file]
        write_text(file, read_history(file) + section(reason.strip(), own))
    for change in changes:
        sys.stdout.write(f"{change}\n")
    sys.stdout.write(f"blessed: {len(changes)} changes in {len(blessings)} families\n")
    return EXIT_CODES[Verdict.VALID]


def main(arguments: Sequence[str]) -> int:
    """Parse the command line; return the exit code."""
    parser = argparse.ArgumentParser("python -m oneowner.checkers.ledger.bless", description=__doc__)
    parser.add_argument(
        "--reason",
        default="",
        help="why the counts changed; it is kept in HISTORY.md beside the families of the system",
    )
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="default: all")
    asked = parser.parse_args(arguments)
    try:
        return bless(asked.families, asked.reason)
    except Misuse as error:
        sys.stderr.write(f"error: {error}\n")
        return MISUSE
    except EngineError as error:
        sys.stderr.write(f"error: {error}\n")
        return EXIT_CODES[Verdict.UNKNOWN]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
