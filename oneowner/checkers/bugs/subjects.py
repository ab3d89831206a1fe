"""The subject of a text in which no known bug shows: a client, another product, or another part of Pulsar."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from oneowner.checkers.bugs.hits import Found
from oneowner.checkers.bugs.signature import squeezed
from oneowner.checkers.yaml_text import data_of

_FILE: Final = Path(__file__).with_name("subjects.yaml")
PRODUCT, CLIENT, OWNERSHIP, PART = "product", "client", "ownership", "part"
_BAD: Final = frozenset({"WARN", "WARNING", "ERROR", "SEVERE", "FATAL", "W", "E", "F"})
_FAILED: Final = 'HTTP/1.1"5'
"""A line of the access log whose answer is an error of the server."""
_BROKERS: Final = ("org.apache.pulsar.broker.", "o.a.p.b.", "o.a.p.broker.", "PulsarService", "ServerCnx")
"""Words of a broker's log; brokers use the client's classes, too."""


@dataclass(frozen=True)
class Trouble:
    """Trouble with another product that is known."""

    signs: tuple[str, ...]
    """Words that all stand in a text of it."""
    note: str
    """Its number upstream, its cause, and what ends it."""


@dataclass(frozen=True)
class Subject:
    """A subject, and the words by which it is recognised."""

    name: str
    kind: str
    signs: tuple[str, ...]
    is_close: bool = False
    """True if trouble with it is trouble with ownership, too: of equally many lines, those of ownership decide."""
    look: str = ""
    """The places to look at."""
    known: tuple[Trouble, ...] = ()
    first: tuple[str, ...] = ()
    """Words of which one line, in a whole log, matters more than any number of lines about another subject."""
    usual: tuple[str, ...] = ()
    """Words of lines that every broker prints, which are no trouble."""


@cache
def subjects() -> tuple[Subject, ...]:
    """Return all subjects, in the order of their file: of two equally frequent ones the first is named."""
    rows = data_of(_FILE.read_text(encoding="utf-8"))
    return tuple(
        Subject(
            row["subject"],
            row["is"],
            tuple(map(squeezed, row["signs"])),
            bool(row.get("close")),
            row.get("look", ""),
            tuple(Trouble(tuple(map(squeezed, one["signs"])), one["note"]) for one in row.get("known", ())),
            tuple(map(squeezed, row.get("first", ()))),
            tuple(map(squeezed, row.get("usual", ()))),
        )
        for row in rows
    )


def stems() -> list[str]:
    """Return the words of all subjects, and those of a broker."""
    found = list(_BROKERS)
    for subject in subjects():
        found += (*subject.signs, *subject.first, *subject.usual)
        for one in subject.known:
            found += one.signs
    return found


@dataclass
class Reading:
    """How many events of a text are of each subject."""

    counts: Counter[str]
    """Of warnings and errors, if there are any, else of all events."""
    kinds: Counter[str]
    """Of all events, by kind."""
    of_brokers: int
    is_log: bool
    """True if an event has a time or a level."""
    signs: frozenset[str] = frozenset()
    """The words of subjects that the text has."""

    def advice(self, name: str) -> tuple[str, ...]:
        """Return the places to look at for a subject, and its known trouble that the text shows."""
        (subject,) = (one for one in subjects() if one.name == name)
        notes = [one.note for one in subject.known if self.signs.issuperset(one.signs)]
        return (*notes, *filter(None, [subject.look]))

    @property
    def first(self) -> str:
        """The subject to look at first in a whole log, by one line; empty for none."""
        return next((one.name for one in subjects() if not self.signs.isdisjoint(one.first)), "")

    @property
    def is_client(self) -> bool:
        """True for the log of a client."""
        return self.kinds[CLIENT] > 0 and not self.of_brokers and not self.kinds[PRODUCT]

    @property
    def is_about_ownership(self) -> bool:
        """True if more warnings and errors are about ownership than about any other subject."""
        if self.kinds[PRODUCT] and not self.of_brokers:
            return False
        own = max(self.counts[one.name] for one in subjects() if one.kind == OWNERSHIP)
        others = (self.counts[one.name] for one in subjects() if one.kind == PART and not one.is_close)
        return own > max(others, default=0)

    @property
    def other(self) -> str:
        """
        The most frequent subject that is not ownership; empty for none.

        Another product's text comes first, except beside those of brokers.
        """
        kinds = {one.name: one.kind for one in subjects()}
        accepted = (PART,) if self.of_brokers else (PRODUCT, PART)
        ranked = sorted(
            (name for name in self.counts if kinds[name] in accepted),
            key=lambda name: (kinds[name] != PRODUCT, -self.counts[name]),
        )
        return ranked[0] if ranked else next((name for name in self.counts if kinds[name] == CLIENT), "")


def reading_of(found: Iterable[Found]) -> Reading:
    """Count the subjects of events."""
    loud, all_, kinds = Counter[str](), Counter[str](), Counter[str]()
    brokers, is_log, signs = 0, False, set[str]()
    for one in found:
        is_loud = one.event.level in _BAD or "Exception" in one.event.body or _FAILED in one.event.body
        message = one.event.message
        is_log = is_log or one.event.moment is not None or bool(one.event.level)
        brokers += not one.stems.isdisjoint(_BROKERS)
        signs.update(one.stems)
        for subject in subjects():
            if one.stems.isdisjoint(subject.usual) and any(
                sign in message for sign in one.stems.intersection(subject.signs)
            ):
                all_[subject.name] += 1
                loud[subject.name] += is_loud
                kinds[subject.kind] += 1
    return Reading(+loud or all_, kinds, brokers, is_log, frozenset(signs))
