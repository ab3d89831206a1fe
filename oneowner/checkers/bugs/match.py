"""
Signatures are compared with the events of texts.

Lines of a signature match in the order of their times, or of the text where times are missing; each placeholder has
one value in all of them. An absence counts only while the log goes on.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from oneowner.checkers.bugs.events import CLASS, Event
from oneowner.checkers.bugs.hits import Extent, Found
from oneowner.checkers.bugs.signature import Clue, Signature
from oneowner.checkers.bugs.writers import is_same_host

_SCHEME: Final = re.compile(r"^(?:https?|pulsar(?:\+ssl)?)://|/$")
_MOST_STEPS: Final = 1_000_000
"""Comparisons of lines of one signature; beyond, it counts as not matched."""
_SKEW: Final = 1_000
"""Milliseconds by which lines of different logs may be out of order."""
Values = Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Hit:
    """An event that is a line of a signature."""

    event: Event
    moment: int | None
    values: Values
    place: int
    """Its place in the order of all events."""


@dataclass(frozen=True)
class Match:
    """A signature that a text has."""

    signature: Signature
    hits: tuple[Hit, ...]
    values: Values
    occurrences: int = 1
    """How many of its first lines lead to it."""


class Texts:
    """The events of all texts in which the lines of signatures are sought."""

    def __init__(
        self,
        extents: Sequence[Extent],
        found: Iterable[Found],
        writers: Mapping[str, Iterable[str]],
        mixed: Collection[str] = (),
    ) -> None:
        """Take the broker that wrote each log; nobody knows whose the lines of the *mixed* ones are."""
        self.extents = {one.log: one for one in extents}
        self._writers = {name: tuple(hosts) for name, hosts in writers.items()}
        self._mixed = frozenset(mixed)
        is_timed = len({one.dated for one in extents if one.first is not None}) < 2
        events = list(found)
        if is_timed:
            events.sort(key=lambda one: -1 if one.moment is None else one.moment)  # stable: texts keep their order
        self._places: dict[str, list[tuple[int, Found]]] = {}
        """The events that hold a stem, with their places in the order of all."""
        for place, one in enumerate(events):
            for stem in one.stems:
                self._places.setdefault(stem, []).append((place, one))
        self._is_timed = is_timed
        self._known: dict[int, tuple[Hit, ...]] = {}

    def hits(self, clue: Clue) -> tuple[Hit, ...]:
        """Return the events that are the line *clue*, in order."""
        if id(clue) not in self._known:
            self._known[id(clue)] = tuple(self._hits(clue))
        return self._known[id(clue)]

    def _hits(self, clue: Clue) -> Iterator[Hit]:
        there = {place: found for one in clue.templates for place, found in self._places.get(one.stem, ())}
        for place in sorted(there):
            found = there[place]
            for one in clue.templates:
                match = one.pattern.search(found.event.body) if one.stem in found.stems else None
                if match is not None and _is_logged_by(clue, found.event, match.start()):
                    values = {name: _SCHEME.sub("", value) for name, value in match.groupdict().items() if value}
                    if clue.log and found.event.log in self._mixed:
                        continue
                    if self._is_writer(found.event.log, values):
                        yield Hit(found.event, found.moment, values, place)
                        break

    def _is_writer(self, log: str, values: Values) -> bool:
        """Return whether the values of ``{me}`` name the broker whose log it is."""
        own = [value for name, value in values.items() if name == "me" or name.startswith("me_")]
        if own and log in self._mixed:
            return False
        return all(any(is_same_host(value, writer) for writer in self._writers.get(log, ())) for value in own)

    def goes_on(self, hit: Hit, log: str) -> int:
        """Return for how long a log goes on after a line, in milliseconds."""
        last = self.extents[log].last
        return 0 if last is None or hit.moment is None else last - hit.moment

    def follows(self, hit: Hit, before: Hit, within: int | None = None, after: int = 0) -> bool:
        """Return whether a line comes after another, soon enough and late enough."""
        if hit.moment is not None and before.moment is not None and self._is_timed:
            skew = 0 if hit.event.log == before.event.log else _SKEW
            late = hit.moment - before.moment
            is_later = late > -skew if skew else hit.place > before.place
            return is_later and late >= after and (within is None or late <= within)
        return hit.place > before.place and not after


def _is_logged_by(clue: Clue, event: Event, start: int) -> bool:
    """Return whether a class of *clue* logged an event, as far as the text names the class before its message."""
    if not clue.classes:
        return True
    before = event.body[:start]
    if any(name in before for name in clue.classes):
        return True
    loggers = (found[1] or found[2] for found in CLASS.finditer(event.head))
    return not any(name and not name.endswith(("Exception", "Error")) and name in before for name in loggers)


def matches_of(signature: Signature, texts: Texts) -> Match | None:
    """Return the first match of a signature, or None."""
    hits = [texts.hits(clue) for clue in signature.lines]
    if not all(hits):
        return None
    join = _Join(signature, hits, texts)
    found = [match for first in hits[0] if (match := join.from_first(first)) is not None]
    if not found:
        return None
    last = signature.lines[0].times - 1  # lines that end a row of first lines, and begin none
    return Match(signature, found[0].hits, found[0].values, len(found) + last)


class _Join:
    """Lines of one signature, joined by the values of placeholders."""

    def __init__(self, signature: Signature, hits: Sequence[tuple[Hit, ...]], texts: Texts) -> None:
        self._signature, self._hits, self._texts = signature, hits, texts
        self._steps = 0

    def from_first(self, first: Hit) -> Match | None:
        """Return the match that begins with a line, or None."""
        return next(self._grown((), {}, {}, first), None)

    def _grown(self, chosen: tuple[Hit, ...], values: Values, logs: Mapping[str, str], hit: Hit) -> Iterator[Match]:
        """Yield the matches in which *hit* follows the *chosen* lines."""
        clue = self._signature.lines[len(chosen)]
        self._steps += 1
        joined = _joined(values, hit.values, self._signature.shared)
        if joined is None or self._steps > _MOST_STEPS or not _is_log(clue, hit, logs):
            return
        if chosen and not self._is_free_between(clue, chosen[-1], hit, joined, logs):
            return
        more = self._more(clue, hit, joined)
        if len(more) < clue.times:
            return
        chosen = (*chosen, hit)
        logs = {**logs, clue.log: hit.event.log} if clue.log else logs
        if len(chosen) == len(self._signature.lines):
            if self._fits(joined) and self._is_never_followed(more[-1], joined, logs):
                yield Match(self._signature, (*chosen, *more[1:3]), joined)
            return
        following = self._signature.lines[len(chosen)]
        for other in self._from(len(chosen), more[-1]):
            self._steps += 1
            if self._steps > _MOST_STEPS:
                return
            if other in chosen:
                continue
            if not self._signature.is_ordered or self._texts.follows(
                other, more[-1], following.within, following.after
            ):
                yield from self._grown(chosen, joined, logs, other)

    def _from(self, number: int, before: Hit) -> Iterator[Hit]:
        """Yield the events of the next line, without those that are too early to follow one."""
        hits = self._hits[number]
        at = bisect_right(hits, before.place, key=lambda one: one.place) if self._signature.is_ordered else 0
        while at and before.moment is not None and (moment := hits[at - 1].moment) is not None:
            if before.moment - moment >= _SKEW:
                break
            at -= 1
        return islice(hits, at, None)

    def _more(self, clue: Clue, first: Hit, values: Values) -> list[Hit]:
        """Return a line and those like it that come after it, as many as the signature asks for."""
        if clue.times == 1:
            return [first]
        found = [first]
        for hit in self._hits[self._signature.lines.index(clue)]:
            if len(found) == clue.times:
                break
            if self._texts.follows(hit, found[-1], clue.within) and hit.event is not found[-1].event:
                if _joined(values, hit.values, self._signature.shared) is not None:
                    found.append(hit)
        return found

    def _is_free_between(self, clue: Clue, before: Hit, after: Hit, values: Values, logs: Mapping[str, str]) -> bool:
        """Return whether none of the lines that must not be there comes between two lines."""
        return not any(
            before.place < hit.place < after.place
            and _joined(values, hit.values, self._signature.shared) is not None
            and _is_log(other, hit, logs)
            for other in clue.without
            for hit in self._texts.hits(other)
        )

    def _fits(self, values: Values) -> bool:
        """Return whether the values that must differ do, and a bundle lies in the other."""
        differ = [values.get(name) for name in self._signature.differ]
        inside = [values.get(name, "") for name in self._signature.inside]
        return len(set(differ)) == len(differ) and (not inside or is_part(*inside))

    def _is_never_followed(self, last: Hit, values: Values, logs: Mapping[str, str]) -> bool:
        read = {logs.get(clue.log, last.event.log) for clue in self._signature.never}
        if any(self._texts.goes_on(last, log) < self._signature.goes_on for log in read):
            return False
        return not any(
            _joined(values, hit.values, self._signature.shared) is not None
            and _is_log(clue, hit, logs)
            and self._texts.follows(hit, last)
            for clue in self._signature.never
            for hit in self._texts.hits(clue)
        )


def is_part(bundle: str, other: str) -> bool:
    """
    Return whether a bundle is a part of another one.

    >>> is_part("t/n/0x00000000_0x20000000", "t/n/0x00000000_0x40000000"), is_part("t/n/0x0_0x8", "t/n/0x0_0x8")
    (True, False)
    """
    namespace, _, part = bundle.rpartition("/")
    space, _, whole = other.rpartition("/")
    low, high = part.split("_")
    least, most = whole.split("_")
    return namespace == space and part != whole and least <= low and high <= most


def _joined(values: Values, more: Values, shared: frozenset[str]) -> Values | None:
    """Return all values, or None if a placeholder of several lines has two."""
    if any(name in shared and values.get(name, value) != value for name, value in more.items()):
        return None
    return {**more, **values}


def _is_log(clue: Clue, hit: Hit, logs: Mapping[str, str]) -> bool:
    """Return whether a line is in the log that its label means."""
    if not clue.log:
        return True
    if clue.log in logs:
        return logs[clue.log] == hit.event.log
    return hit.event.log not in logs.values()
