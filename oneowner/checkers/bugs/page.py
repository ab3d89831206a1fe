"""The answer of ``oneowner bugs`` in lines of text."""

from collections.abc import Iterator, Mapping
from typing import Final

from oneowner.checkers.bugs.advice import advice_of
from oneowner.checkers.bugs.answer import Answer, Suspect
from oneowner.checkers.bugs.known_bugs import KnownBug
from oneowner.checkers.bugs.match import Hit
from oneowner.checkers.bugs.signature import MEANING
from oneowner.checkers.catalogue.releases import fixed, span_of

_WIDEST: Final = 240
"""Letters of a line of a log that are shown."""
_SHOWN: Final = 5
"""Bugs that are printed in full."""


def answer_lines(answer: Answer) -> Iterator[str]:
    """Yield the lines of an answer."""
    yield from _read(answer)
    for number, one in enumerate(answer.suspects[:_SHOWN], 1):
        yield ""
        yield from _suspect(number, one, answer)
    if more := answer.suspects[_SHOWN:]:
        yield ""
        yield f"also: {'; '.join(f'{one.bug.title} ({one.bug.upstream})' for one in more)}"
    advice = advice_of(answer)
    if advice.headline:
        yield ""
        yield advice.headline
    yield from (f"  {line}" for line in advice.collect)
    for one in answer.ruled_out:
        yield f"ruled out: {one.bug.title} ({one.bug.upstream}): {fixed(one.bug.releases)}"


def headline_of(answer: Answer) -> str:
    """Return the answer in one line."""
    if answer.suspects:
        bug = answer.suspects[0].bug
        named = bug.upstream if bug.upstream.startswith("apache/") else f"a known bug ({bug.upstream})"
        return f"looks like {named}, {fixed(bug.releases)}: {bug.title}"
    return advice_of(answer).headline


def _read(answer: Answer) -> Iterator[str]:
    lines = sum(one.lines for one in answer.extents)
    files = dict.fromkeys(one.file for one in answer.extents)
    texts = next(iter(files)) if len(files) == 1 else f"{len(files)} texts"
    releases = ", ".join(f"{release} ({place})" for release, place in answer.releases.items())
    counted = f"{lines} {'line' if lines == 1 else 'lines'}"
    yield f"read {texts}: {counted}; Pulsar {releases or 'of an unknown release, which --release R names'}"
    for reason in answer.unread:
        yield f"not read: {reason}"
    for log, ids in answer.mixed.items():
        whose = f"{' and '.join(ids)} speak in it, and no line names its broker"
        yield f"{log}: {whose}: give each a file, or its pod's name before its lines"


def _suspect(number: int, suspect: Suspect, answer: Answer) -> Iterator[str]:
    bug, match = suspect.bug, suspect.match
    yield f"{number}. {bug.title}"
    yield f"   upstream:  {bug.upstream} ({bug.status}); {bug.name}"
    yield f"   how sure:  {match.signature.sure}: {MEANING[match.signature.sure]}"
    yield f"   why:       {filled(match.signature.why, match.values)}"
    for line in dict.fromkeys(map(line_of, match.hits)):
        yield f"     {line}"
    if match.occurrences > 1:
        yield f"     {match.occurrences} times in all"
    yield f"   releases:  {_releases(suspect)}"
    yield f"   about:     {bug.about}"
    yield f"   do now:    {bug.advice}"
    yield f"   to decide: {bug.collect}"


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return *text* with the values of its placeholders."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def line_of(hit: Hit) -> str:
    """Return the place and the first line of an event."""
    first = hit.event.lines[0].partition("\n")[0].strip()
    return f"{hit.event.file}:{hit.event.number}: {first[:_WIDEST]}{'...' if len(first) > _WIDEST else ''}"


def _releases(suspect: Suspect) -> str:
    words = [span_of(suspect.bug.releases)]
    for release, has in suspect.affects.items():
        words.append(f"{release} {'has it' if has else 'may have it' if has is None else 'does not have it'}")
    return "; ".join(words)


def bug_lines(bug: KnownBug, is_whole: bool) -> Iterator[str]:
    """Yield the lines of a bug in the catalogue: one, or with *is_whole* all that is known of it."""
    yield f"{bug.name}: {bug.title} ({bug.upstream})"
    if not is_whole:
        return
    yield f"  releases: {span_of(bug.releases)}"
    yield f"  about: {bug.about}"
    for signature in bug.signatures:
        yield f"  {signature.sure} if:"
        for clue in signature.lines:
            times = f" ({clue.times} times)" if clue.times > 1 else ""
            yield f"    {' or '.join(clue.classes) or clue.kind}: {clue.templates[0].text}{times}"
        for clue in signature.never:
            yield f"    and never {' or '.join(clue.classes) or clue.kind}: {clue.templates[0].text}"
    if bug.advice:
        yield f"  do now: {bug.advice}"
    if bug.collect:
        yield f"  to decide: {bug.collect}"
