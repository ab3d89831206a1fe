"""
Upstream numbers as names: ``#26520``, ``26520``, ``apache/pulsar#26520``, ``KAFKA-14382`` or the address of the thread.

A row of the catalogue is named by the numbers of its ``upstream`` text, a finding by those of its issues. A number in
brackets, or after *near*, is that of a related thread: it names a row only if no row is about the number itself.
"""

import re
from collections.abc import Container, Iterable, Mapping
from typing import Final, TypeVar

from oneowner.checkers.catalogue.families import catalogue, faults, switchings
from oneowner.checkers.catalogue.family import pick
from oneowner.checkers.catalogue.finding import Finding
from oneowner.checkers.catalogue.findings import finding_labels, findings
from oneowner.checkers.verdict import Misuse

T = TypeVar("T")
_ADDRESS: Final = re.compile(r"https?://github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)\S*")
_TICKET_ADDRESS: Final = re.compile(r"https?://issues\.apache\.org/jira/browse/([A-Za-z]+-\d+)\S*")
_NUMBER: Final = re.compile(r"([\w.-]+/[\w.-]+)?#?(\d+)")
_TICKET: Final = re.compile(r"[A-Za-z]{3,}-\d+")
_REFERENCE: Final = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)?#(?P<number>\d+)|(?P<ticket>\b[A-Z]{3,}-\d+)")
_RELATED: Final = re.compile(r"\([^)]*\)|near\b.*")


def number_in(name: str) -> str:
    """
    Return an upstream number in one form, empty if *name* is none.

    >>> [number_in(name) for name in ("26520", "#26520", "apache/pulsar#26520", "kafka-14382", "transfer", "pip-192")]
    ['#26520', '#26520', 'apache/pulsar#26520', 'KAFKA-14382', '', 'PIP-192']
    >>> number_in("https://github.com/apache/pulsar/pull/26520#issuecomment-1")
    'apache/pulsar#26520'
    """
    if address := _ADDRESS.fullmatch(name):
        return f"{address[1]}#{address[2]}"
    if address := _TICKET_ADDRESS.fullmatch(name):
        return address[1].upper()
    if number := _NUMBER.fullmatch(name):
        return f"{number[1] or ''}#{number[2]}"
    return name.upper() if _TICKET.fullmatch(name) else ""


def references(text: str) -> list[str]:
    """
    Return the upstream numbers in a text, each with its repository.

    >>> references("apache/pulsar#19999, #20058; KAFKA-14382")
    ['apache/pulsar#19999', 'apache/pulsar#20058', 'KAFKA-14382']
    """
    found, repository = [], ""
    for one in _REFERENCE.finditer(text):
        repository = one["repository"] or repository
        found.append(one["ticket"] or f"{repository}#{one['number']}")
    return found


def rows_of_number(name: str, known: Container[str] | None = None) -> list[str]:
    """Return the names of the faults and findings, or those of *known*, that an upstream number means, in order."""
    asked = number_in(name)
    texts = {row.name: [row.upstream] for row in catalogue().values()} if asked else {}
    for finding in findings().values() if asked else ():
        texts.setdefault(finding.name, []).append(finding.upstream)
    there = {row: parts for row, parts in texts.items() if known is None or row in known}
    own = [row for row, parts in there.items() if _is_among(asked, (_RELATED.sub("", part) for part in parts))]
    return own or [row for row, parts in there.items() if _is_among(asked, parts)]


def _is_among(asked: str, texts: Iterable[str]) -> bool:
    known = [reference for text in texts for reference in references(text)]
    return asked in known or (asked.startswith("#") and any(one.endswith(asked) for one in known))


def rows_named(name: str, known: Mapping[str, T], kind: str) -> list[T]:
    """Return those of *known* that a name or an upstream number means; raise Misuse if there is none."""
    found = [] if name in known else _numbered(name, known, kind)
    return [known[one] for one in found] or [pick(known, name, kind)]


def findings_named(name: str) -> list[Finding]:
    """Return the findings that a name, a label or an upstream number means; raise Misuse if there is none."""
    labels = finding_labels()
    if name in labels:
        return [labels[name]]
    return [findings()[one] for one in _numbered(name, findings(), "finding")] or [pick(labels, name, "finding")]


def switching_name(name: str) -> str:
    """Return the name of the one fault or variant that a name or an upstream number means; refuse it if several are."""
    known = switchings()
    return name if name in known else _the_one(name, _numbered(name, known, "fault"))


def repairable_name(name: str) -> str:
    """Return the name of the one fault that a name or an upstream number means, as ``switching_name`` does."""
    known = faults()
    return name if name in known else _the_one(name, _numbered(name, known, "fault"))


def _the_one(name: str, found: list[str]) -> str:
    if len(found) > 1:
        raise Misuse(f"fault refused: {name}; it is {len(found)} faults: {', '.join(found)}; name one")
    return found[0] if found else name


def _numbered(name: str, known: Container[str], kind: str) -> list[str]:
    """Return those of *known* that an upstream number means; raise Misuse for one that means others alone, or none."""
    found = rows_of_number(name, known)
    if found or not number_in(name):
        return found
    if others := rows_of_number(name):
        lists = "findings" if others[0] in findings() else "faults"
        raise Misuse(f"{kind} refused: {name}; it is {', '.join(others)}: oneowner list {lists} {others[0]}")
    raise Misuse(f"no {kind} of {name} is known; oneowner list {kind}s lists all with their upstream numbers")
