"""
The answer to a text: the known bugs that it looks like, or its subject, or the evidence to collect.

A bug that all named releases lack is ruled out. A signature whose lines occur without its bug, too, counts only in an
excerpt: its lines were chosen by a person.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from oneowner.checkers.bugs.hits import Extent, Found, search
from oneowner.checkers.bugs.known_bugs import KnownBug, known_bugs
from oneowner.checkers.bugs.match import Match, Texts, matches_of
from oneowner.checkers.bugs.signature import Sureness
from oneowner.checkers.bugs.sources import Source, blocks_of, sources_of
from oneowner.checkers.bugs.subjects import PRODUCT, Reading, reading_of
from oneowner.checkers.bugs.subjects import stems as subject_stems
from oneowner.checkers.bugs.versions import STEMS as VERSION_STEMS
from oneowner.checkers.bugs.versions import releases_in
from oneowner.checkers.bugs.writers import STEMS as WRITER_STEMS
from oneowner.checkers.bugs.writers import mixed_logs, writers_of
from oneowner.checkers.catalogue.releases import check_release
from oneowner.checkers.inputs.kinds import AUDIT, LIKE, OWNER, InputKind, kind_of_file
from oneowner.checkers.verdict import Misuse

EXCERPT: Final = 300
"""The most events of a text that a person may have chosen."""
_ORDER: Final = tuple(Sureness)


@dataclass(frozen=True)
class Suspect:
    """A known bug that a text looks like."""

    bug: KnownBug
    match: Match
    affects: Mapping[str, bool | None]
    """True for each named release that has the bug, False for one that lacks it; None if no source decides."""

    @property
    def is_ruled_out(self) -> bool:
        """True if all named releases lack it."""
        return bool(self.affects) and all(has is False for has in self.affects.values())

    @property
    def rank(self) -> tuple[int, int, int]:
        """The place among the bugs that a text looks like: the surest first, then that with the most lines."""
        lines = sum(clue.times for clue in self.match.signature.lines)
        return _ORDER.index(self.match.signature.sure), -lines, -self.match.occurrences


@dataclass(frozen=True)
class Answer:
    """The answer to a text."""

    suspects: tuple[Suspect, ...]
    ruled_out: tuple[Suspect, ...]
    reading: Reading
    extents: tuple[Extent, ...]
    releases: Mapping[str, str]
    """The releases that were named, each with the place of its name."""
    inputs: Mapping[str, InputKind] = field(default_factory=dict)
    """The texts that are no logs: an answer about owners, or a text that another verb reads; each with its kind."""
    events: tuple[Found, ...] = ()
    """The events that were looked at, in the order of the texts."""
    unread: tuple[str, ...] = ()
    """Files of a folder that hold no text, each with the reason."""
    mixed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The logs in which several brokers speak, each with their ids."""

    @property
    def is_about_owners(self) -> bool:
        """True if there are only answers of brokers about owners."""
        return self.is_for_others and all(kind is OWNER for kind in self.inputs.values())

    @property
    def is_for_others(self) -> bool:
        """True if there is no log and nothing of another product, and another verb reads a text."""
        return bool(self.inputs) and not self.reading.is_log and not self.reading.kinds[PRODUCT]

    @property
    def is_excerpt(self) -> bool:
        """True if a person may have chosen the lines."""
        return is_excerpt(self.extents)


def is_excerpt(extents: Iterable[Extent]) -> bool:
    """Return whether texts are short enough for a person to have chosen their lines."""
    return sum(one.events for one in extents) <= EXCERPT


def look(path: str, release: str | None = None, on_progress: Callable[[str], None] | None = None) -> Answer:
    """
    Return the answer to the text at *path*; ``-`` is standard input.

    Misuse: there is no such text, or it cannot be read.
    """
    check_release(release)
    return answer_to(sources_of(path), release, on_progress)


def answer_to(
    sources: Sequence[Source], release: str | None = None, on_progress: Callable[[str], None] | None = None
) -> Answer:
    """Return the answer to texts, judged for *release* or for those that they name."""
    bugs = known_bugs()
    stems = [one.stem for bug in bugs.values() for one in bug.templates]
    found: list[Found] = []
    extents: list[Extent] = []
    unread: list[str] = []
    for source in sources:
        if on_progress is not None:
            on_progress(f"reading {source.name}")
        try:
            searched = search(source.name, blocks_of(source), stems, (*subject_stems(), *VERSION_STEMS, *WRITER_STEMS))
        except Misuse as error:
            if len(sources) == 1:
                raise
            unread.append(str(error))
            continue
        extents += searched.extents
        found += searched.found
    if not any(one.lines for one in extents):
        raise Misuse(f"{sources[0].name}: empty; give a log, a stack trace or an answer of pulsar-admin")
    releases = {release: "--release"} if release else releases_in(found)
    mixed = mixed_logs(found)
    texts = Texts(extents, found, writers_of(extents, found), mixed)
    suspects = _suspects(bugs.values(), texts, releases, is_excerpt(extents))
    return Answer(
        tuple(sorted((one for one in suspects if not one.is_ruled_out), key=lambda one: one.rank)),
        tuple(one for one in suspects if one.is_ruled_out),
        reading_of(found),
        tuple(extents),
        releases,
        {
            one.name: kind
            for one in sources
            if (kind := kind_of_file(Path(one.path))) is OWNER or kind.verb not in ((), AUDIT, LIKE)
        },
        tuple(found),
        tuple(unread),
        mixed,
    )


def _suspects(bugs: Iterable[KnownBug], texts: Texts, releases: Mapping[str, str], is_excerpt: bool) -> list[Suspect]:
    suspects = []
    for bug in bugs:
        signatures = sorted(bug.signatures, key=lambda one: _ORDER.index(one.sure))
        if not is_excerpt:
            signatures = [one for one in signatures if one.sure is not Sureness.POSSIBLE]
        match = next((found for one in signatures if (found := matches_of(one, texts)) is not None), None)
        if match is not None:
            suspects.append(Suspect(bug, match, {one: bug.affects(one) for one in releases}))
    return suspects
