"""
Known bugs are the findings of ``oneowner/spec/findings``, as a person with a log needs them.

A finding that is a fault of the catalogue has its title from there, and its releases are computed by the rules of the
releases; any other states both. Only a bug that is printed has its releases computed: the catalogue takes a while to
load.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.bugs.signature import Signature, Template, signature_in
from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import Misuse
from oneowner.checkers.yaml_text import data_of
from oneowner.model.kernel.releases import Span, version

FINDINGS: Final = PACKAGE / "spec" / "findings"
WITHDRAWN: Final = "withdrawn"


@dataclass(frozen=True)
class KnownBug:
    """A defect of Pulsar, with the traces that it leaves."""

    name: str
    title: str
    status: str
    issues: tuple[int, ...]
    about: str
    """What goes wrong, and why."""
    advice: str
    """What to do now."""
    collect: str
    """What decides whether it is this bug."""
    stated: tuple[Span, ...]
    """Its releases, if its file states them."""
    signatures: tuple[Signature, ...]
    verified: tuple[str, ...] = ()
    """Releases in whose sources its statements were read that tests/vectors does not have."""
    covers: tuple[str, ...] = ()
    """The faults of the catalogue that leave the same traces, and are of the same cause."""

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The releases that have it; none if they are not known."""
        return self.stated or _computed(self.name)

    def affects(self, release: str) -> bool | None:
        """Return whether a release has it; None if that is not known, as of a line, some of whose releases have it."""
        if not self.spans or not is_release(release):
            return None
        has = {any(one in span for span in self.spans) for one in _members(release)}
        return has.pop() if len(has) == 1 else None

    @property
    def upstream(self) -> str:
        """Its number upstream, as ``apache/pulsar#17401, #17254``, or that no report is known."""
        if not self.issues:
            return "no upstream report is known"
        numbers = f"apache/pulsar{', '.join(f'#{one}' for one in self.issues)}"
        return f"near {numbers}" if self.status == "near" else numbers

    @property
    def fixed_in(self) -> tuple[str, ...]:
        """The first release of each line that has it no more, in order."""
        ends = {end for span in self.spans for end in span.until}
        return tuple(sorted((one for one in ends if not self.affects(one)), key=_order))

    @property
    def since(self) -> tuple[str, ...]:
        """The first releases that have it; none if all did from the beginning."""
        return (
            ()
            if any(not span.first for span in self.spans)
            else tuple(sorted((first for span in self.spans for first in span.first), key=_order))
        )

    @property
    def templates(self) -> Iterator[Template]:
        """The texts of its signatures."""
        for one in self.signatures:
            for clue in one.clues:
                yield from clue.templates


_LINE: Final = re.compile(r"v?(\d{1,2}\.\d{1,2})(?:\.x)?")
_LAST: Final = 999
"""A number above those of all releases of a line."""


def is_release(name: str) -> bool:
    """
    Return whether a text names a release, or a line of releases.

    >>> is_release("4.0.6"), is_release("v2.9.x"), is_release("4.0.4.1"), is_release("four")
    (True, True, True, False)
    """
    return version(name) is not None or _LINE.fullmatch(name) is not None


def _members(name: str) -> list[str]:
    """Return a release, or the first and a last one of a line."""
    line = _LINE.fullmatch(name)
    return [name] if line is None else [f"{line[1]}.{patch}" for patch in (*range(40), _LAST)]


def bug_in(part: Part, name: str, title: str) -> KnownBug:
    """Return the bug that a finding's file describes; raise Misuse for an invalid one."""
    row = part.mapping()
    if "title" not in row and not title:
        raise part.complaint(f"{name} refused: it has no title, and no fault has its name")
    signatures = tuple(signature_in(one) for one in row["signatures"].items()) if "signatures" in row else ()
    for key in ("do", "collect"):
        if signatures and key not in row:
            raise part.complaint(f"{name} refused: {key} is missing; a finding with signatures has it")
    return KnownBug(
        name,
        row["title"].line() if "title" in row else title,
        row["status"].line(),
        tuple(one.number(1) for one in row["issues"].items()) if "issues" in row else (),
        (row["about"] if "about" in row else row["happens"]).text().strip(),
        _text(row, "do"),
        _text(row, "collect"),
        spans_in(row["releases"]) if "releases" in row else (),
        signatures,
        tuple(one.line() for one in row["verified"].items()) if "verified" in row else (),
        tuple(one.one_of(_by_name(titles()), "fault") for one in row["covers"].items()) if "covers" in row else (),
    )


_CLAUSE: Final = re.compile(r"every|before (?P<before>.+)|since (?P<since>.+?)(?: until (?P<until>.+))?")


def spans_in(part: Part) -> tuple[Span, ...]:
    """Return the releases that a text means, such as ``before 2.8.5, 2.10.3; since 3.0.3``, or ``every``."""
    found = []
    for clause in part.text().split("; "):
        words = _CLAUSE.fullmatch(clause)
        named = [] if words is None else [tuple(one.split(", ")) if one else () for one in words.groups()]
        if words is None or any(version(one) is None for group in named for one in group):
            raise part.refuse("it reads: every; before 3.0.6, 3.2.1; since 3.3.2 until 3.3.5")
        before, since, until = named
        found.append(Span(since, before or until))
    return tuple(found)


def _by_name(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


def _text(row: dict[str, Part], key: str) -> str:
    return row[key].text().strip() if key in row else ""


@cache
def titles() -> dict[str, str]:
    """Return the titles of all faults by name, without a check of the rest of their rows."""
    rows: list[dict[str, Any]] = []
    for path in sorted((PACKAGE / "spec").glob("*/faults.yaml")):
        rows += data_of(path.read_text(encoding="utf-8"))
    return {row["fault"]: row["title"] for row in rows}


def bug_files() -> list[Path]:
    """Return the files of all findings, by name."""
    return sorted(FINDINGS.glob("*.yaml"))


@cache
def known_bugs() -> dict[str, KnownBug]:
    """Return every known bug by name; raise Misuse, with file and line, for an invalid file."""
    found: dict[str, KnownBug] = {}
    for path in bug_files():
        document = read_document(path)
        one = bug_in(Part(document, document.data), path.stem, titles().get(path.stem, ""))
        if one.status != WITHDRAWN:
            found[one.name] = one
    return found


def _computed(name: str) -> tuple[Span, ...]:
    """Return the releases that have the fault *name*, by the rules of the releases."""
    from oneowner.checkers.catalogue.affected import affected_releases, releases_of
    from oneowner.checkers.catalogue.findings import defects

    fault = defects().get(name)
    if fault is None:
        return ()
    try:
        affected = set(affected_releases(fault))
    except Misuse:  # a family that is being edited: its releases are not known
        return ()
    numbered = [one for one in releases_of(fault) if version(one) is not None]
    return tuple(_spans(sorted(numbered, key=_order), affected))


def _order(release: str) -> Any:
    return version(release)


def _spans(releases: list[str], affected: set[str]) -> Iterator[Span]:
    """Yield a span for each run of affected releases within a line, in order; the newest line's may have no end."""
    lines: dict[Any, list[str]] = {}
    for one in releases:
        lines.setdefault(_order(one).line, []).append(one)
    for line, members in lines.items():
        start: str | None = None
        for one in members:
            if one in affected and start is None:
                start = one
            elif one not in affected and start is not None:
                yield Span((start,), (one,))
                start = None
        if start is not None:
            yield Span((start,), (f"{line[0]}.{line[1] + 1}.0",) if line != max(lines) else ())
