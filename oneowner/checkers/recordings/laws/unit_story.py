"""
The story of one unit lists its records, the views that took them, lines of logs, lookups, and findings.

Order is the channel's for records, and the clocks' for everything else: a line of a log stands where its broker's clock
puts it, which only bounds when it happened.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from oneowner.checkers.recordings.read.events import Finding, Origin
from oneowner.checkers.recordings.read.observations import Lookup, Poll
from oneowner.checkers.recordings.scene.absences import Absence, absences
from oneowner.checkers.recordings.scene.channel_history import Step
from oneowner.checkers.recordings.scene.citations import origin_of
from oneowner.checkers.recordings.scene.registry import registry_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from oneowner.checkers.recordings.scene.topics import Topics, namespace_of
from oneowner.checkers.times import lasting
from oneowner.model.channel.explanation import repair, why
from oneowner.model.channel.record import ASSIGNING, DELETED, FREE, NOBODY, OWNED, RELEASING, SPLITTING, Record


class StoryLine(NamedTuple):
    """One line of a story."""

    time: int
    origin: Origin
    kind: str
    """record, taken, log, lookup, claim, call, broker, finding."""
    who: str
    """The broker that it is about; empty for the channel."""
    text: str


def story(scene: Scene, unit: str, findings: Iterable[Finding] = ()) -> list[StoryLine]:
    """Return all events of *unit*, by time; records of the channel keep their order."""
    lines = [
        *_records(scene, unit),
        *_log_lines(scene, unit),
        *_lookups(scene, unit),
        *_claims(scene, unit),
        *_calls(scene, unit),
        *_brokers(scene, unit),
        *_findings(findings, unit),
    ]
    return sorted(lines, key=lambda line: (line.time, line.kind != "record", line.origin))


def _records(scene: Scene, unit: str) -> Iterator[StoryLine]:
    """Yield the records; a publish time that goes back is replaced by that of the record before."""
    history = scene.channel.units.get(unit)
    latest = 0
    for step in history.steps if history is not None else ():
        latest = max(latest, step.time)
        yield StoryLine(latest, step.origin, "record", "", told(step))


def told(step: Step) -> str:
    """Return one message, its handling, and the record that is due next."""
    what = f"{step.message_id} {'tombstone' if step.is_tombstone else step.record}"
    if step.refused is not None:
        return f"{what}: refused by all views: {why(step.refused)}; expected: {repair(step.refused)}"
    due = what_is_due(step.record)
    return f"{what}: accepted{f'; {due}' if due else ''}"


def what_is_due(record: Record) -> str:
    """Return the next record that the protocol requires, and its publisher (channel.6)."""
    destination, source = record.destination, record.source
    if record.state == ASSIGNING:
        return f"{destination} is to open it and publish Owned"
    if record.state == RELEASING and destination != NOBODY:
        return f"{source} is to close its topics and publish Assigning to {destination}"
    if record.state == RELEASING:
        return f"{source} is to close its topics and publish Free"
    if record.state == SPLITTING:
        return f"{source} is to cut it, publish its children and then Deleted"
    if record.state == OWNED:
        return f"{destination} serves it"
    if record.state in (FREE, DELETED):
        return "nobody serves it"
    return ""


def _log_lines(scene: Scene, unit: str) -> Iterator[StoryLine]:
    for broker, lines in scene.said.items():
        for said in lines:
            if said.unit == unit:
                kind = "taken" if said.event in TAKEN else "log"
                yield StoryLine(said.time, said.origin, kind, broker, said.text)


TAKEN = ("handle-request", "node-applied")
"""Lines by which a broker's view took a record."""


def _lookups(scene: Scene, unit: str) -> Iterator[StoryLine]:
    """Yield lookups of the unit's topics; equal ones in a row at one broker are one line."""
    topics, namespace = Topics(scene), unit.rpartition("/")[0]
    ours = [
        lookup
        for lookup in scene.lookups
        if namespace_of(lookup.topic) == namespace and topics.unit(lookup.topic, lookup.start, lookup.end) == unit
    ]
    for broker in sorted({lookup.asked for lookup in ours}):
        for _, group in groupby((one for one in ours if one.asked == broker), key=_answered):
            for some in _without_gaps(list(group)):
                yield StoryLine(some[0].end, some[0].origin, "lookup", broker, f"{_answered(some[0])}{_times(some)}")


def _without_gaps(some: list[Lookup]) -> Iterator[list[Lookup]]:
    """Cut equal answers apart where nobody asked, or nobody answered, for long."""
    first = 0
    for place in range(1, len(some) + 1):
        if place == len(some) or some[place].end - some[place - 1].end > LONG:
            yield some[first:place]
            first = place


LONG = 5_000
"""Milliseconds between two answers after which the next one is listed anew."""


def _answered(lookup: Lookup) -> str:
    if lookup.answer is not None:
        return "answers: I serve it" if lookup.answer == lookup.asked else f"answers: {lookup.answer} serves it"
    if lookup.redirect is not None:
        return f"sends the caller to {lookup.redirect}"
    return "does not answer" if lookup.status is None else f"answers with an error, {lookup.status}"


def _times(some: Sequence[Lookup]) -> str:
    took = some[0].end - some[0].start
    waited = f", the first after {took / 1000:.1f} s" if took > WAITED else ""
    if len(some) == 1:
        return f" (after {took / 1000:.1f} s)" if waited else ""
    return f" ({len(some)} times in {(some[-1].end - some[0].end) / 1000:.3f} s{waited})"


WAITED = 1_000
"""Milliseconds that a lookup takes before that is worth a word."""


def _claims(scene: Scene, unit: str) -> Iterator[StoryLine]:
    """Yield the times at which a broker's own list begins and ceases to name the unit."""
    claims: dict[str, bool] = {}
    for poll in scene.polls:
        does = unit in poll.claims
        if poll.status == OK and claims.get(poll.asked, False) != does:
            claims[poll.asked] = does
            yield _claim(poll, does)


OK = 200


def _claim(poll: Poll, does: bool) -> StoryLine:
    words = "its own list names the unit" if does else "its own list does not name the unit any more"
    return StoryLine(poll.start, poll.origin, "claim", poll.asked, words)


def _calls(scene: Scene, unit: str) -> Iterator[StoryLine]:
    for call in scene.calls:
        if call.unit == unit:
            hops = "".join(f", sent on to {hop}" for hop in call.hops)
            words = f"{call.action} asked for{hops}: {call.status} after {call.end - call.start} ms"
            yield StoryLine(call.start, call.origin, "call", call.asked, words)


def _brokers(scene: Scene, unit: str) -> Iterator[StoryLine]:
    """Yield the registrations, elections and silences of the brokers that records of the unit name."""
    registry = registry_of(scene)
    for broker in sorted(_named(scene, unit)):
        for held in registry.of(broker):
            session = f" (session {held.session})" if held.session else ""
            yield StoryLine(held.since, held.made.origin, "broker", broker, f"is registered{session}")
            if held.ended is not None:
                words = "unregisters" if held.is_given_up else f"its session ends{session}"
                yield StoryLine(held.until, held.ended.origin, "broker", broker, words)
        for led in registry.leaders:
            if led.broker == broker:
                yield StoryLine(led.since, led.made.origin, "broker", broker, "is elected leader")
        for away in absences(scene, broker):
            yield StoryLine(away.since, origin_of(away.evidence[0]), "broker", broker, _away(away))


def _named(scene: Scene, unit: str) -> set[str]:
    history = scene.channel.units.get(unit)
    records = [step.record for step in history.steps] if history is not None else []
    return {str(party) for record in records for party in (record.destination, record.source) if party != NOBODY}


def _away(away: Absence) -> str:
    if away.until == END:
        return "gives its last sign of life"
    silent = lasting(away.until - away.since)
    return f"is silent for {silent}, then goes on" if away.is_pause else f"its process ends; a new one {silent} later"


def _findings(findings: Iterable[Finding], unit: str) -> Iterator[StoryLine]:
    for one in findings:
        if one.unit == unit and one.time is not None:
            yield StoryLine(one.time, one.origin, "finding", "", f"{one.severity} {one.law}: {one.sentence}")


def around(lines: Sequence[StoryLine], most: int) -> tuple[Sequence[StoryLine], int]:
    """Return at most *most* lines, those nearest to the findings (else the last ones), and how many are left out."""
    if len(lines) <= most:
        return lines, 0
    told = [place for place, line in enumerate(lines) if line.kind == "finding"] or [len(lines) - 1]
    nearest = sorted(range(len(lines)), key=lambda place: (min(abs(place - one) for one in told), place))
    kept = sorted(nearest[:most])
    return [lines[place] for place in kept], len(lines) - most
