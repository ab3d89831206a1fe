"""
Blessing: present results become pins, of any kind, with a reason.

A verdict that changes, and a witness that is no longer reached, need a reason of their own: the row has it under
``reason``, new or changed since the last commit, or the caller gives it and it is written there. So does a law that
is expected to hold and fails where it had no row; other first verdicts are proposed. All files are written, or none.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from oneowner.checkers.documents import Document, parse_document, suggestion
from oneowner.checkers.ledger.blessings import FILE, Word, read_words, text_of, today
from oneowner.checkers.ledger.pin_edit import with_values
from oneowner.checkers.ledger.pinned import Claim, Effort, Kind, Pins
from oneowner.checkers.places import TOP
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.json import write_text
from oneowner.checkers.results import Result
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.checkers.yaml_text import At

Because = Mapping[str, str]
"""Reasons that the caller gives, by the law, witness or row that they are about."""

NO_ROW = "(had no row)"
LEFT_OUT = "left out"


@dataclass(slots=True)
class Plan:
    """The changes to one file, and the obstacles to them."""

    path: Path
    text: str
    """The file as it is to be."""
    rows: list[str] = field(default_factory=list)
    changes: list[tuple[str, str]] = field(default_factory=list)
    """Rows, and their changes in words."""
    seals: dict[str, str] = field(default_factory=dict)
    """The kept facts of each row beside the reason."""
    refusals: list[str] = field(default_factory=list)
    """Decisions that only the caller can take, with the way out."""
    doubts: list[str] = field(default_factory=list)
    """The reasons why results cannot be pinned."""
    reasons: set[str] = field(default_factory=set)
    """The caller's reasons that were used."""


def run_bless(
    out: Console,
    on_progress: Callable[[str], None] | None,
    kind: Kind,
    names: Sequence[str],
    reason: str | None,
    because: Because,
) -> Result:
    """
    Pin anew the rows of a kind that are named, or all; print what changes as it is found.

    Without a reason, or with another obstacle, nothing is written, and Misuse names the missing part. A file that
    nobody named and that cannot be read stops nothing but itself.
    """
    pins: Pins[Any, Any] | None = kind.pins
    assert pins is not None, "a kind that nothing is pinned of is not offered"
    for words in (*([] if reason is None else [reason]), *because.values()):
        if not words.strip() or len(words.splitlines()) > 1:
            raise Misuse("a reason is demanded, on one line: --reason 'what changed, and why it is right'")
    files = pins.files()
    gone = [row for row in pins.lost(()) if is_named(row, names)]
    for name in names:
        if name.partition("@")[0] not in files and not any(is_named(row, [name]) for row in gone):
            word = kind.word or kind.name
            raise Misuse(f"no such {word}: {name}; {suggestion(name, files, word)}")
    chosen = [name for name in names or files if name.partition("@")[0] in files]
    paths = list(dict.fromkeys(files[name.partition("@")[0]] for name in chosen))
    if on_progress is None and len(paths) > 1:
        out.print(
            f"{len(paths)} files are found anew, one after the other: minutes; --progress says how far it is",
            style="dim",
        )
    plans, damaged = list[Plan](), dict[Path, str]()
    for number, path in enumerate(paths, 1):
        tell = _beside(on_progress, f"{path.stem} ({number} of {len(paths)})")
        try:
            plans.append(plan(pins, path, names, because, tell))
        except Misuse as error:
            if names:
                raise
            damaged[path] = str(error)
            sys.stderr.write(f"error: {visible(str(error))}\n")
        else:
            show(out, plans[-1])
    rows = [row for one in plans for row in one.rows]
    gone = [row for row in gone if row not in rows and files.get(row.partition("@")[0]) not in damaged]
    if without := [name for name in names if not any(is_named(row, [name]) for row in (*rows, *gone))]:
        raise Misuse(f"nothing can be pinned of {without[0]}; {suggestion(without[0], rows or files)}")
    plans.append(leaving_out(gone, because))
    show(out, plans[-1])
    doubts = [line for one in plans for line in one.doubts]
    if refusals := [line for one in plans for line in one.refusals]:
        raise Misuse(f"nothing is written: {len(refusals)} verdicts need a reason of their own")
    if doubts:
        out.print("nothing is written")
        return Result("bless", Verdict.UNKNOWN, doubts)
    if unused := [name for name in because if not any(name in one.reasons for one in plans)]:
        raise Misuse(f"--because refused: {unused[0]}; no verdict on it changes, and nothing is written")
    changes = [change for one in plans for change in one.changes]
    if reason is None and changes:
        again = " ".join(["oneowner bless", kind.word or kind.name, *names])
        raise Misuse(f"nothing is written: a reason is required: {again} --reason 'what changed, and why it is right'")
    write(
        plans, kind.word or kind.name, {row: words_of(pins, row, files) for row, _ in changes}, (reason or "").strip()
    )
    out.print(f"blessed: {len(changes)} change{'' if len(changes) == 1 else 's'} in {len(rows)} {kind.group}")
    result = Result("bless", Verdict.VALID, [], more={"changes": [f"{row}: {words}" for row, words in changes]})
    result.doubted(list(damaged.values()))
    result.unreadable = bool(damaged)
    return result


def _beside(on_progress: Callable[[str], None] | None, place: str) -> Callable[[str], None] | None:
    return None if on_progress is None else lambda words: on_progress(f"{place}: {words}")


def show(out: Console, made: Plan) -> None:
    """Print the changes to a file, and the obstacles to them."""
    lines = [f"{row}: {words}" for row, words in made.changes]
    lines += [f"unknown: {doubt}" for doubt in made.doubts] + [f"refused: {refusal}" for refusal in made.refusals]
    for line in lines:
        out.print(line, markup=False, highlight=False)


def is_named(row: str, names: Sequence[str]) -> bool:
    """Return whether a row is one of *names*, by its own or that of its family; without names every row is."""
    return not names or row in names or row.partition("@")[0] in names


def plan(
    pins: Pins[Any, Any], path: Path, names: Sequence[str], because: Because, tell: Callable[[str], None] | None
) -> Plan:
    """Compute the rows of one file again, all or those named, and compare with their pins; nothing is written."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    made = Plan(path, before)
    there = list(pins.rows_in(parse_document(path, before)))
    made.rows = [row for row in there if is_named(row, names)]
    for name in made.rows:
        if tell is not None:
            tell(name)
        row = pins.rows_in(parse_document(path, made.text))[name]  # a release has what its family has by now
        found = pins.find(row, Effort(goes_on=True, tell=tell))
        doubts = [f"{name}: {doubt}" for doubt in pins.doubts(row, found)]
        made.doubts += doubts
        if not doubts:
            told = pins.compare(row, found).reasons if pins.changes is None else pins.changes(row, found)
            made.changes += [(name, words) for words in told]
            made.text = pins.written(path, made.text, row, found)
            made.seals[name] = pins.seal(row, found)
    if not made.doubts:
        decide(made, pins, parse_document(path, before), because)
        pins.rows_in(parse_document(path, made.text))  # it can be read again, or nothing is written
    return made


def decide(made: Plan, pins: Pins[Any, Any], now: Document, because: Because) -> None:
    """Note every verdict that is no longer that of the file or of the commit, with its reason, or refuse it."""
    text = committed(made.path)
    old = Document(made.path, None) if text is None else parse_document(made.path, text)
    earlier, present, later = (
        {(one.row, one.subject): one for one in (pins.claims(document) if document.data is not None else ())}
        for document in (old, now, parse_document(made.path, made.text))
    )
    news: dict[str, dict[str, list[str]]] = {}
    told: set[At] = set()
    for claim, words in changed(earlier, present, later):
        if claim.row not in made.rows:
            continue
        if words.endswith(NO_ROW) and claim.is_proposed and claim.subject not in because:
            if claim.reason not in told:  # what releases share with their family is told once
                news.setdefault(claim.row, {}).setdefault(claim.verdict, []).append(claim.subject)
            told.add(claim.reason)
            continue
        if given := because.get(claim.subject, "").strip():
            made.reasons.add(claim.subject)
            made.changes.append((claim.row, f"{claim.subject} {words}: {given}"))
            made.text = with_values(made.text, {claim.reason: given} if claim.reason else {})
            continue
        made.changes.append((claim.row, f"{claim.subject} {words}"))
        is_old = (claim.row, claim.subject) in earlier
        was = _at(old.data, earlier[claim.row, claim.subject].reason) if is_old else None
        reason = _at(now.data, claim.reason)
        if not isinstance(reason, str) or reason == was:
            ways = [f"--because '{claim.subject}=why it is so'"]
            if words.endswith(NO_ROW):
                ways.append(f"its row in {made.path}: {claim.subject}: {claim.verdict}")
            elif claim.reason:
                *above, last = claim.reason
                ways.append(f"a new line in {made.path}: {''.join(f'{part}: ' for part in above)}{{{last}: ...}}")
            made.refusals.append(f"{claim.row}: {claim.subject} {words}; the way out: {', or '.join(ways)}")
    for row, verdicts in news.items():
        words = "; ".join(f"{verdict}: {', '.join(subjects)}" for verdict, subjects in verdicts.items())
        made.changes.append((row, f"new rows, {words}"))


def changed(
    earlier: Mapping[tuple[str, str], Claim],
    present: Mapping[tuple[str, str], Claim],
    later: Mapping[tuple[str, str], Claim],
) -> Iterator[tuple[Claim, str]]:
    """Yield each verdict that is not, or no longer, as it was committed or written, and in words how it changed."""
    rows = {row for row, _ in present}
    for key in dict.fromkeys([*later, *present, *earlier]):
        was = [one.verdict for one in (present.get(key), earlier.get(key)) if one is not None]
        claim = later.get(key)
        if claim is None and key[0] in rows:
            yield _left(present.get(key), earlier.get(key)), f"is gone (was {was[0]})"
        elif claim is not None and (other := [verdict for verdict in was if verdict != claim.verdict]):
            yield claim, f"is {claim.verdict} (was {other[0]})"
        elif claim is not None and key not in present and _may_be_asked(claim, key[0] in rows):
            yield claim, f"is {claim.verdict} {NO_ROW}"


def _may_be_asked(claim: Claim, is_in_row: bool) -> bool:
    """Return whether a new verdict is to be reported: in a row that was there, and of a law in any row."""
    return not claim.is_row and (is_in_row or claim.may_fail is not None)


def _left(present: Claim | None, earlier: Claim | None) -> Claim:
    """Return a verdict that is gone; where its row was one of a list, nothing in the file is about it any more."""
    if present is not None:
        return present
    assert earlier is not None, "it was somewhere"
    return earlier._replace(reason=()) if any(isinstance(step, int) for step in earlier.reason) else earlier


def leaving_out(rows: Sequence[str], because: Because) -> Plan:
    """Return the notes on rows that were pinned once and are in no file any more."""
    made = Plan(TOP, "")
    for row in rows:
        if because.get(row, "").strip():
            made.reasons.add(row)
            made.changes.append((row, f"{LEFT_OUT}: {because[row].strip()}"))
        else:
            made.refusals.append(f"{row}: {LEFT_OUT}; the way out: --because '{row}=why it is gone'")
    return made


def words_of(pins: Pins[Any, Any], row: str, files: Mapping[str, Path]) -> Path:
    """Return where the last word on a row is kept."""
    return files[row].parent / FILE if pins.words is None else pins.words(row)


def write(plans: Sequence[Plan], kind: str, places: Mapping[str, Path], reason: str) -> None:
    """Write every file that changes, then the last word on each row that does; a row that is left out has none."""
    seals = {row: seal for one in plans for row, seal in one.seals.items()}
    for one in plans:
        if one.rows and (not one.path.exists() or one.text != one.path.read_text(encoding="utf-8")):
            write_text(one.path, one.text)
    for file in dict.fromkeys(places.values()):
        every = read_words(file)
        rows = {row: word for row, word in every.get(kind, {}).items() if places.get(row) != file}
        rows |= {row: Word(today(), reason, seals[row]) for row in places if row in seals and places[row] == file}
        write_text(file, text_of({**every, kind: rows}))


def committed(path: Path) -> str | None:
    """Return a file's text in the last commit; None if it is not in it, or nothing here is under version control."""
    command = ["git", "-C", str(path.parent), "show", f"HEAD:./{path.name}"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:  # no git
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _at(data: Any, at: At) -> Any:
    """Return a part of the data of a document, or None if it is not there."""
    for step in at:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data
