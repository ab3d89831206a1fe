"""
The bugs that recordings show: a finding of an audit is one of them if it meets a condition of the bug's file.

A law of recordings reports facts and knows no bug: its name, the causes that it established, its symptoms. The key
``recorded`` of ``oneowner/spec/findings/NAME.yaml`` lists conditions, each of one fact or more. Of several bugs whose
conditions a finding meets, it is the one with the most facts; a release without the bug never has it.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

from oneowner.checkers.catalogue.finding import Status, upstream_of
from oneowner.checkers.catalogue.findings import finding_files
from oneowner.checkers.catalogue.releases import Releases, Stated, computed_of, stated_in
from oneowner.checkers.documents import Part, read_document, read_once

RECORDED: Final = "recorded"


class Facts(NamedTuple):
    """The facts of one finding of an audit."""

    law: str
    causes: Collection[str] = ()
    """The kinds of the happenings that caused it, and of those behind them."""
    symptoms: Collection[str] = ()
    """Further facts that its law reports."""
    beside: Mapping[str, Collection[str]] = MappingProxyType({})
    """By bug: the laws of other findings that have a cause in common and are that bug."""
    storage: str = ""
    """The storage of the channel."""


class Condition(NamedTuple):
    """The facts that show a bug; an empty one is not asked for."""

    law: str = ""
    cause: str = ""
    symptom: str = ""
    beside: str = ""
    storage: str = ""

    @property
    def size(self) -> int:
        """The number of facts that it asks for."""
        return sum(map(bool, self))

    def is_met(self, facts: Facts, bug: str) -> bool:
        """
        Return whether a finding has all of these facts of *bug*.

        >>> asked = Condition("view-stops", symptom="change of role")
        >>> asked.is_met(Facts("view-stops", symptoms=["change of role"]), ""), asked.is_met(Facts("view-stops"), "")
        (True, False)
        """
        return (
            self.law in ("", facts.law)
            and self.storage in ("", facts.storage)
            and (not self.cause or self.cause in facts.causes)
            and (not self.symptom or self.symptom in facts.symptoms)
            and (not self.beside or self.beside in facts.beside.get(bug, ()))
        )


@dataclass(frozen=True)
class RecordedBug:
    """A bug that findings of audits are, with the conditions that show it."""

    name: str
    upstream: str
    """Its status in the threads of apache/pulsar, in a few words."""
    stated: Stated | None
    """Its releases, if its file states them."""
    conditions: tuple[Condition, ...]

    @cached_property
    def releases(self) -> Releases | None:
        """The releases that have it; None if they are not known."""
        return self.stated or computed_of(self.name)

    def affected(self, releases: Iterable[str]) -> list[str]:
        """Return those of *releases* that have it."""
        return [one for one in releases if self.releases is not None and one in self.releases]

    def size(self, facts: Facts) -> int:
        """Return the number of facts of its largest condition that a finding meets; 0: it is another bug."""
        return max((one.size for one in self.conditions if one.is_met(facts, self.name)), default=0)


@read_once(lambda: list(map(str, finding_files())))
def recorded_bugs() -> dict[str, RecordedBug]:
    """Return every bug with conditions, by name; raise Misuse, with file and line, for an invalid file."""
    found = {}
    for path in finding_files():
        document = read_document(path)
        if RECORDED in document.data:
            found[path.stem] = _bug_in(Part(document, document.data), path.stem)
    return found


def bug_of(facts: Facts, releases: Collection[str]) -> RecordedBug | None:
    """Return the bug that a finding is, in one of *releases* at least; without any of these their bugs all count."""
    met = ((one.size(facts), one) for one in recorded_bugs().values())
    there = [(size, one) for size, one in met if size and (not releases or one.affected(releases))]
    return max(there, key=lambda pair: pair[0])[1] if there else None


def _bug_in(part: Part, name: str) -> RecordedBug:
    row = part.mapping()
    status = row["status"].one_of({one.value: one for one in Status}, "status")
    issues = tuple(one.number(1) for one in row["issues"].items()) if "issues" in row else ()
    conditions = tuple(_condition(one) for one in row[RECORDED].items())
    stated = stated_in(row["releases"]) if "releases" in row else None
    return RecordedBug(name, upstream_of(status, issues), stated, conditions)


def _condition(part: Part) -> Condition:
    row = part.mapping([], Condition._fields)
    if not row:
        raise part.refuse(f"it has one of: {', '.join(Condition._fields)}")
    return Condition(**{key: one.line() for key, one in row.items()})
