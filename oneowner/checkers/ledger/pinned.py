"""
Pins as one mechanism: a kind of pins defines where they lie, and how they are computed, compared and written.

The gate checks kinds, ``oneowner bless`` sets them anew, and the verbs ``logs``, ``refine`` and ``explain`` show them;
``kinds.py`` lists them all.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from rich.console import Console

from oneowner.checkers.documents import Document, read_document, suggestion
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.checkers.yaml_text import At

R = TypeVar("R")
F = TypeVar("F")
NOT_AS_PINNED = "not as pinned"


class Outcome(NamedTuple):
    """The result of a check of a row: the expectation, the finding, and the reasons for their difference."""

    expected: str
    verdict: str
    reasons: Sequence[str] = ()
    ledger: dict[str, Any] | None = None
    """For a family: its results (``LedgerRow``)."""


def as_pinned(differences: Sequence[str]) -> Outcome:
    """Return the verdict on a row whose differences are all certain."""
    return Outcome(Verdict.VALID.value, NOT_AS_PINNED if differences else Verdict.VALID.value, differences)


class Effort(NamedTuple):
    """The effort spent on a row."""

    profile: str = "pr"
    goes_on: bool = False
    """True if a search is finished after a violation that is not pinned: a pin describes the whole graph."""
    tell: Callable[[str], None] | None = None
    """Hears how far it is."""


class Claim(NamedTuple):
    """A verdict that stands in a file; where it changes, the row gives the reason."""

    row: str
    subject: str
    """The law, the witness or whatever else the verdict is on."""
    verdict: str
    reason: At
    """The place of its reason in the file, if there is one."""
    is_row: bool = False
    """True if it is all that its row pins: then it may be new."""
    may_fail: bool | None = None
    """Of a law: whether it is known to fail. A first verdict not at odds with that needs no reason of its own."""

    @property
    def is_proposed(self) -> bool:
        """True if it may be new without a reason of its own: no earlier verdict disagrees."""
        return self.may_fail is not None and (self.may_fail or self.verdict != Verdict.INVALID)


@dataclass(frozen=True, slots=True)
class Pins(Generic[R, F]):
    """Reading, computing, comparing, printing and writing of pins in files; R is a row, F its results."""

    files: Callable[[], Mapping[str, Path]]
    """The file of each row that there is or may be; one file holds the releases ``NAME@...`` of a family too."""
    rows_in: Callable[[Document], Mapping[str, R]]
    """The rows of a file by name, including those without a pin; raise Misuse for a malformed row."""
    find: Callable[[R, Effort], F]
    compare: Callable[[R, F], Outcome]
    written: Callable[[Path, str, R, F], str]
    """The text of the file with the results of a row in it."""
    claims: Callable[[Document], Iterable[Claim]]
    """The verdicts that stand in a file, which may be older than the model."""
    show: Callable[[Console, Sequence[tuple[R, F]]], None] = lambda out, rows: None
    """Print rows as they were found, where the table of the gate does not show all of it."""
    doubts: Callable[[R, F], Iterable[str]] = lambda row, found: ()
    """The reason that results cannot be pinned."""
    changes: Callable[[R, F], Iterable[str]] | None = None
    """The changes in a row, in words, if not its differences."""
    lost: Callable[[Iterable[str]], Iterable[str]] = lambda rows: ()
    """Return the rows that once were pinned and are not among these."""
    seal: Callable[[R, F], str] = lambda row, found: ""
    """The kept facts of a row beside the reason for its pin."""
    words: Callable[[str], Path] | None = None
    """The place of the last word on a row, if not beside its file."""

    def read(self, name: str) -> R:
        """Return the pin of a row; raise Misuse with the nearest names where there is none."""
        files = self.files()
        path = files.get(name, files.get(name.partition("@")[0]))
        rows = {} if path is None else self.rows_in(read_document(path))
        if name not in rows:
            raise Misuse(f"no such row: {name}; {suggestion(name, [*files, *rows])}")
        return rows[name]

    def check(self, name: str, profile: str) -> Outcome:
        """Find a row anew, and compare."""
        row = self.read(name)
        return self.compare(row, self.find(row, Effort(profile)))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of checks; pins of it in files may be blessed."""

    name: str
    """In tables."""
    group: str
    """The plural of its rows."""
    rows: Callable[[str], Iterable[tuple[str, float]]]
    """The rows of a profile of the gate, each with a guess of its seconds."""
    check: Callable[[str, str], Outcome]
    """Check the row of this name with the effort of a profile."""
    pins: Pins[Any, Any] | None = None
    word: str = ""
    """Its name for ``oneowner bless``, if another."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row that was checked."""

    kind: str
    name: str
    expected: str
    verdict: str
    ok: bool
    seconds: float
    reasons: tuple[str, ...] = ()
    ledger: dict[str, Any] | None = None
    """For a family: its results (``LedgerRow``)."""

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``result.schema.json``, and the results of a family."""
        return {k: v for k, v in asdict(self).items() if k != "reasons" and (k, v) != ("ledger", None)}

    @property
    def says(self) -> Verdict:
        """The row's verdict as a whole: a deviation is invalid, a missing engine unknown."""
        if self.ok:
            return Verdict.VALID
        is_known = self.verdict != Verdict.UNKNOWN.value or self.expected == Verdict.UNKNOWN.value
        return Verdict.INVALID if is_known else Verdict.UNKNOWN


def row_of(kind: str, name: str, check: Callable[[], Outcome]) -> Row:
    started = time.monotonic()
    found = check()
    ok = found.expected == found.verdict and not found.reasons
    seconds = round(time.monotonic() - started, 1)
    return Row(kind, name, found.expected, found.verdict, ok, seconds, tuple(found.reasons), found.ledger)


def verdicts_in(
    at: At, row: str, verdicts: Mapping[str, Any], may_fail: Callable[[str], bool] | None = None
) -> Iterator[Claim]:
    """Yield the row's verdict on each subject at this place, which *may fail* or not; reasons are below ``reason``."""
    for subject, verdict in verdicts.items():
        known = None if may_fail is None else may_fail(subject)
        yield Claim(row, subject, str(verdict), (*at, "reason", subject), may_fail=known)


def parts_changed(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """
    Yield in short what is not what it was.

    >>> list(parts_changed({"a": 1, "b": [1]}, {"a": 2, "b": [1, 2, 3], "c": {"d": 1}}))
    ['a is 2 (was 1)', 'b has 3 parts (had 1)', 'c: d is 1 (was None)']
    """
    for key in dict.fromkeys([*was, *now]):
        before, after = was.get(key), now.get(key)
        if before == after:
            continue
        if isinstance(after, dict):
            yield from (f"{key}: {words}" for words in parts_changed(before or {}, after))
        elif isinstance(before, list) or isinstance(after, list):
            yield f"{key} has {len(after or ())} parts (had {len(before or ())})"
        else:
            yield f"{key} is {after} (was {before})"
