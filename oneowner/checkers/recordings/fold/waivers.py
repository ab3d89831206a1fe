"""
The waiver file lists violations that are known and accepted until a day.

A list of mappings with ``law``, ``unit`` (a key, or a pattern such as ``tenant/namespace/*``), ``reason`` and
``expires`` (the last day on which it counts), and ``upstream`` if there is an issue to point at. It is read strictly: a
waiver without reason or end hides a fault for ever. Only violations can be waived, never unknown results.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.verdict import Misuse

KEYS = ("law", "unit", "reason", "expires")
OPTIONAL = ("upstream",)


class Waiver(NamedTuple):
    """Violations of one law that are known, and accepted for some time."""

    number: int
    """Its place in the file, from 0."""
    law: str
    unit: str
    """A unit's key, or a pattern of keys: ``*`` is anything, the slashes too."""
    reason: str
    expires: str
    """The last day on which it counts, ISO 8601."""

    def covers(self, law: str, unit: str | None) -> bool:
        """Return whether it covers a finding; one of no unit is covered by ``*`` alone."""
        if law != self.law:
            return False
        return self.unit == "*" if unit is None else unit == self.unit or fnmatchcase(unit, self.unit)


@dataclass(frozen=True, slots=True)
class Waivers:
    """The waivers of one file; without a file there are none."""

    path: str = ""
    listed: tuple[Waiver, ...] = ()
    lines: tuple[int, ...] = ()
    """The line of each."""
    today: date = date.min

    @property
    def in_force(self) -> tuple[Waiver, ...]:
        """Those whose last day has not passed."""
        return tuple(waiver for waiver in self.listed if not self.is_expired(waiver))

    def is_expired(self, waiver: Waiver) -> bool:
        """Return whether its last day has passed."""
        return date.fromisoformat(waiver.expires) < self.today

    def remarks(self, used: Collection[int], broken: Collection[str] = (), is_part: bool = False) -> Iterator[str]:
        """Yield the faults of the file: waivers that have expired, and those that no violation needed."""
        for waiver, line in zip(self.listed, self.lines, strict=True):
            words = f"{self.path}:{line}: the waiver of {waiver.law} for {waiver.unit}"
            if self.is_expired(waiver):
                yield f"{words} expired on {waiver.expires} and waives nothing"
            elif waiver.number not in used:
                if is_part:
                    yield f"{words} matched no violation in the time range"
                elif waiver.law in broken:
                    yield f'{words} matched no violation, though the law is broken: of another unit, or of none ("*")'
                else:
                    yield f"{words} matched no violation; it can go (warnings need none)"


NONE = Waivers()


def read_waivers(path: Path, laws: Mapping[str, str], today: date) -> Waivers:
    """Read a waiver file; raise Misuse with file and line for whatever is not as it must be."""
    document = read_document(path)
    parts = Part(document, document.data).items()
    listed = tuple(_waiver(part, number, laws) for number, part in enumerate(parts))
    return Waivers(str(path), listed, tuple(document.lines[part.at] for part in parts), today)


def _waiver(part: Part, number: int, laws: Mapping[str, str]) -> Waiver:
    keys = part.mapping(KEYS, OPTIONAL)
    keys["law"].one_of(laws, "law")
    words = {name: keys[name].text().strip() for name in ("law", "unit", "reason", *OPTIONAL) if name in keys}
    for name, text in words.items():
        if not text:
            raise keys[name].refuse("it is not empty")
    reason = f"{words['reason']} ({words['upstream']})" if "upstream" in words else words["reason"]
    return Waiver(number, words["law"], words["unit"], reason, _day(keys["expires"]).isoformat())


def _day(part: Part) -> date:
    day = part.data
    if isinstance(day, str):
        try:
            return date.fromisoformat(day)
        except ValueError:
            pass
    if not isinstance(day, date) or isinstance(day, datetime):
        raise part.refuse("it is a day, such as 2027-03-31")
    return day


def day_of(text: str | None) -> date:
    """
    Return the day that ``--today`` names, or else the present one in UTC.

    >>> day_of("2026-11-22")
    datetime.date(2026, 11, 22)
    """
    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Misuse(f"day refused: {text}; such as 2026-11-22 is allowed") from None
