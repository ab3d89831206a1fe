"""
A finding of a run is named as the known bug that it is, in the release of its brokers.

Laws report facts, and the catalogue has the conditions of each bug (``checkers/catalogue/recorded.py``). The release is
the one that the brokers of the finding print when they start, else that of any broker, else the manifest's.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from oneowner.checkers.catalogue.recorded import Facts, RecordedBug, bug_of
from oneowner.checkers.catalogue.releases import fixed, fixed_after, since_of, span_of
from oneowner.checkers.recordings.laws.scene_verdict import Background
from oneowner.checkers.recordings.read.events import Cause, Finding
from oneowner.model.kernel.law import Severity

NO_BUG: Final = "no known bug is recognised in it"
_RELEASE: Final = re.compile(r"\d+\.\d+\.\d+")


class KnownBug(NamedTuple):
    """The known bug that a finding is, in one release."""

    bug: RecordedBug
    release: str
    """Empty: it is not recorded."""

    @property
    def words(self) -> str:
        """The bug in one line: its name, its number upstream, the releases that brought it and end it."""
        about, releases = f"this is {self.bug.name} ({self.bug.upstream})", self.bug.releases
        of_release = f"if the release has it: {span_of(releases)}"
        if releases is not None and self.release:
            since, end = since_of(releases, self.release), fixed_after(releases, self.release)
            fixed_in = f"fixed in {end}" if end else fixed(None)
            of_release = f"in {self.release}, since {since or 'the first release'}, {fixed_in}"
        return f"{about}, {of_release}"

    @property
    def json(self) -> dict[str, Any]:
        """The bug as its JSON object."""
        releases, at = self.bug.releases, self.release
        since, end = (since_of(releases, at), fixed_after(releases, at)) if releases and at else ("", "")
        return {"name": self.bug.name, "release": at or None, "since": since or None, "fixedIn": end or None}


class KnownBugs:
    """The known bugs of one run: each finding is compared with the conditions of all bugs."""

    def __init__(self, storage: str, release: str, background: Background, found: Iterable[Finding]) -> None:
        self._storage = storage
        self._background = background
        self._found = found
        all_printed = tuple(dict.fromkeys(one for releases in background.releases.values() for one in releases))
        named = _RELEASE.match(release)
        self._releases = all_printed or ((named[0],) if named else ())

    def of(self, finding: Finding) -> KnownBug | None:
        """Return the bug that a finding is; None if none is recognised, and for a note."""
        if finding.severity == Severity.NOTE:
            return None
        causes, releases = self._causes(finding), self._releases_of(finding)
        beside = defaultdict[str, set[str]](set)
        for bug, law in (pair for cause in causes for pair in self._alone.get(cause, ())):
            beside[bug].add(law)
        found = bug_of(self._facts(finding, causes)._replace(beside=beside), releases)
        return None if found is None else KnownBug(found, next(iter(found.affected(releases)), ""))

    def words(self, finding: Finding) -> str:
        """Return the bug that a finding is in one line; of a violation, also that none is recognised."""
        bug = self.of(finding)
        if bug is not None:
            return bug.words
        return NO_BUG if finding.severity == Severity.VIOLATION else ""

    def _releases_of(self, finding: Finding) -> tuple[str, ...]:
        printed = (one for broker in finding.brokers for one in self._background.releases.get(broker, ()))
        return tuple(dict.fromkeys(printed)) or self._releases

    def _facts(self, finding: Finding, causes: Iterable[Cause]) -> Facts:
        return Facts(finding.law, {cause.kind for cause in causes}, finding.symptoms, storage=self._storage)

    @cached_property
    def _alone(self) -> Mapping[Cause, set[tuple[str, str]]]:
        """By cause: the bugs that findings are whatever others there are, each with the law."""
        found: dict[Cause, set[tuple[str, str]]] = defaultdict(set)
        for one in self._found:
            causes = self._causes(one)
            bug = bug_of(self._facts(one, causes), self._releases_of(one)) if causes else None
            if bug is not None:
                for cause in causes:
                    found[cause].add((bug.name, one.law))
        return found

    @cached_property
    def _behind(self) -> Mapping[Cause, tuple[Cause, ...]]:
        return {one.cause: one.behind for one in self._background.happenings}

    def _causes(self, finding: Finding) -> set[Cause]:
        """Return the causes of a finding, and those behind them."""
        link = self._background.links.get((finding.law, finding.position, finding.unit))
        found, new = set[Cause](), [*finding.causes, *(link.causes if link else ())]
        while new:
            if (cause := new.pop()) not in found:
                found.add(cause)
                new += self._behind.get(cause, ())
        return found
